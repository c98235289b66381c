/**
 * Says that a request was not sent: it could do harm, or what it needs cannot be had. The spec that asked for it is
 * skipped, with this message as the reason.
 */
export class NotSent extends Error {}
