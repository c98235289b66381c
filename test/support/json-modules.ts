/** Lets packages import JSON without an attribute, as bundlers do. Import this module before such a package. */
import { register } from 'node:module'

register(
  `data:text/javascript,${encodeURIComponent(`
    export function load(url, context, next) {
      return url.endsWith('.json') ? next(url, { ...context, importAttributes: { type: 'json' } }) : next(url, context)
    }`)}`,
)
