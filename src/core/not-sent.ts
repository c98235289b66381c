/** Something that was not sent, since it could do harm or cannot be had. The spec that asked for it is skipped for this reason. */
export class NotSent extends Error {}
