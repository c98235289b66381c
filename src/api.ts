// Made of contracts/openapi.yaml by `npm run api`; not to be edited.

/**
 * Authentication API of the Core (v0)
 * How a client logs on to a Core, uses the token that it gets, and revokes it. No other area of the API is described.
 *
 * - **Access control.** When it is enabled on the Core, every request to an `/api` endpoint must carry a bearer token; the
 *   logon is how to get one. When it is off, requests need no token.
 * - **Lifetime.** A token expires when no API request has used it for 1 hour. Every API request made with it resets that
 *   timer. Log on again when a request is refused.
 * - **Host.** Every request must carry the `Host` header, which HTTP clients add by themselves; those that do not must be
 *   told to. Without it a request fails the security checks and is answered 406.
 * - **Certificate.** Transport is HTTPS. The Core may present a certificate that a client cannot verify.
 *
 * Where a response is called `default` or `4XX`, its status is not shown in the reference: do not rely on one before you
 * have seen it on your Core.
 *
 */

/**
 * The credentials of a user of the Core.
 */
export type LogonRequest = {
  /**
   * Name of a user of the Core.
   */
  username: string
  /**
   * Password of that user.
   */
  password: string
}

/**
 * The answer to a logon. With correct credentials it carries the token; in which field is not shown in the reference.
 */
export type LogonResponse = unknown

/**
 * The users of the Core. The fields of a user record are not shown in the reference.
 */
export type Users = unknown
