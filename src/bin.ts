#!/usr/bin/env node
/**
 * Starts the program, once Node is new enough. An old Node reads this file too, so everything else is loaded by `import()`, and
 * nothing is awaited.
 */
import './old-node.cjs'

void import('./start.js').then(({ startProgram }) => startProgram())
