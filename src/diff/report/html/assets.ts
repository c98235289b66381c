/** The style of the page of a diff. The build puts the text itself here, see `src/report/html/assets.ts`. */
import { filesBeside } from '../../../ground/files-beside.js'

/** The texts by file name. */
export const ASSETS = filesBeside(import.meta.url, ['diff.css'])
