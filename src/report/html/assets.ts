/**
 * The styles and scripts of the pages. The build puts the texts themselves in the place of this module
 * (`tools/compile-pages.mjs`): a run that ends in an hour needs no file then that an update or a build may have taken away.
 */
import { filesBeside } from '../../ground/files-beside.js'

/** The texts by file name. */
export const ASSETS = filesBeside(import.meta.url, ['page.css', 'script.js'])
