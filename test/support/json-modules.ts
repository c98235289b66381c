/** Lets packages import JSON as bundlers do, without saying so; what does is to be imported after this was. */
import { register } from 'node:module'

register(
  `data:text/javascript,${encodeURIComponent(`
    export function load(url, context, next) {
      return url.endsWith('.json') ? next(url, { ...context, importAttributes: { type: 'json' } }) : next(url, context)
    }`)}`,
)
