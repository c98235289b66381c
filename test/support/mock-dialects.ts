/** The facts of one journey through the API; answers in a few words. One file, because it is one table. */
export interface Facts {
  logon: string
  tokenAt: string
  tokenLength: number
  /** Number of texts in the logon's answer. */
  logonTexts: number
  users: string
  usersTexts: number
  usersHeaders: string[]
  usersOverHttp10: string
  framing: string
  version: string
  gzip: boolean
  answersOfTwo: number
  core: string
  accessMode: string
  head: string
  options: string
  longQuery: string
  lowerCaseScheme: string
  none: string
  rejectionsAlike: boolean
  unknown: string
  wrongPassword: string
  malformed: string
  otherType: string
  upperCaseUser: string
  withoutHost: string
  withoutHostOverHttp10: string
  withoutHostAndToken: string
  answersOfTwoWithoutHost: number
  usersAfterwards: string
  revoke: string
  revoked: string
  revokeAgain: string
  expired: string
  idle98: string
  idle101: string
  idle104: string
  /** Present only for dialects with limits, and for the default one. */
  logons?: string
}

/** The facts of the default dialect. */
export const DEFAULT: Facts = {
  logon: '201 json',
  tokenAt: 'token',
  tokenLength: 64,
  logonTexts: 1,
  users: '200 json',
  usersTexts: 4,
  usersHeaders: [],
  usersOverHttp10: '200 json',
  framing: 'length',
  version: '1.1',
  gzip: false,
  answersOfTwo: 2,
  core: '200 json',
  accessMode: '200 json',
  head: '200 no body',
  options: '401 json, Bearer',
  longQuery: '200 json',
  lowerCaseScheme: '200 json',
  none: '401 json, Bearer',
  rejectionsAlike: true,
  unknown: '401 json, Bearer',
  wrongPassword: '401 json, Bearer',
  malformed: '400 json',
  otherType: '415 json',
  upperCaseUser: '401 json, Bearer',
  withoutHost: '406 json',
  withoutHostOverHttp10: '406 json',
  withoutHostAndToken: '406 json',
  answersOfTwoWithoutHost: 2,
  usersAfterwards: '200 json',
  revoke: '204 no body',
  revoked: '401 json, Bearer',
  revokeAgain: '401 json, Bearer',
  expired: '401 json, Bearer',
  idle98: '200',
  idle101: '401',
  idle104: '401',
  logons: '22 of 22, 22 valid',
}

/** The facts of each dialect that differ from those of the default one. */
export const DIFFERS: Record<string, Partial<Facts>> = {
  'access-mode-protected': { accessMode: '401 json, Bearer' },
  chunked: { framing: 'chunked' },
  'close-delimited': { framing: 'close', answersOfTwo: 1, answersOfTwoWithoutHost: 1 },
  'connection-close': { answersOfTwo: 1, answersOfTwoWithoutHost: 1 },
  default: {},
  'expired-419-revoked-403': { revoked: '403 json', expired: '419 json', idle101: '419', idle104: '419' },
  'expired-and-revoked-told': {
    unknown: '401 json, Bearer realm="core", error="invalid_token"',
    revoked: '401 json, Bearer realm="core", error="invalid_token", error_description="The token was revoked"',
    revokeAgain: '401 json, Bearer realm="core", error="invalid_token"',
    expired: '401 json, Bearer realm="core", error="invalid_token", error_description="The token expired"',
  },
  'expiry-early': { idle98: '401' },
  'expiry-late': { idle101: '200' },
  'expiry-swept': { idle101: '200' },
  'head-405': { head: '405 no body' },
  'headers-few': {
    options: '401 json',
    none: '401 json',
    unknown: '401 json',
    wrongPassword: '401 json',
    upperCaseUser: '401 json',
    revoked: '401 json',
    revokeAgain: '401 json',
    expired: '401 json',
  },
  'headers-many': {
    usersHeaders: [
      'set-cookie',
      'strict-transport-security',
      'x-content-type-options',
      'cache-control',
      'server',
      'via',
    ],
    options: '401 json, Basic realm="core", Bearer realm="core"',
    none: '401 json, Basic realm="core", Bearer realm="core"',
    unknown: '401 json, Basic realm="core", Bearer realm="core"',
    revoked: '401 json, Basic realm="core", Bearer realm="core"',
    revokeAgain: '401 json, Basic realm="core", Bearer realm="core"',
    expired: '401 json, Basic realm="core", Bearer realm="core"',
  },
  'host-406-close': { answersOfTwoWithoutHost: 1 },
  'host-406-html': {
    withoutHost: '406 html',
    withoutHostOverHttp10: '406 html',
    withoutHostAndToken: '406 html',
    answersOfTwoWithoutHost: 1,
  },
  'host-406-without-body': {
    withoutHost: '406 no body',
    withoutHostOverHttp10: '406 no body',
    withoutHostAndToken: '406 no body',
  },
  'http10-refused': { usersOverHttp10: '505 json', withoutHostOverHttp10: '505 json' },
  'http10-refused-400': { usersOverHttp10: '400 no body', withoutHostOverHttp10: '400 no body' },
  'limit-10-tokens': { logons: '10 of 22, 10 valid, then 429, Retry-After not told' },
  'connection-close-unannounced': { answersOfTwo: 1, answersOfTwoWithoutHost: 1 },
  'connection-reset': { answersOfTwo: 1, answersOfTwoWithoutHost: 1 },
  'limit-2-connections-waiting': {},
  'limit-6-connections-waiting': {},
  'limit-8-connections-closed': {},
  'limit-10-tokens-200': { logons: '10 of 22, 10 valid, then 200, Retry-After not told' },
  'limit-10-tokens-409': { logons: '10 of 22, 10 valid, then 409, Retry-After not told' },
  'limit-10-tokens-423': { logons: '10 of 22, 10 valid, then 423, Retry-After not told' },
  'limit-10-tokens-500': { logons: '10 of 22, 10 valid, then 500, Retry-After not told' },
  'limit-10-tokens-hang-up': { logons: '10 of 22, 10 valid, then hung up, Retry-After not told' },
  'limit-logons-5-a-second': { logons: 'some of 22, all valid, then 429, Retry-After 10' },
  'limit-logons-5-a-second-date': { logons: 'some of 22, all valid, then 429, Retry-After a date' },
  'limit-logons-5-a-second-hang-up': { logons: 'some of 22, all valid, then hung up, Retry-After not told' },
  'limit-logons-5-a-second-silent': { logons: 'some of 22, all valid, then 429, Retry-After not told' },
  'limit-5-tokens': { logons: '5 of 22, 5 valid, then 403, Retry-After not told' },
  'limit-logon-rate': { logons: '20 of 22, 20 valid, then 429, Retry-After 10' },
  'limit-target-300': { longQuery: '414 no body' },
  'logon-200': { logon: '200 json' },
  'logon-202': { logon: '202 json' },
  'logon-any-case-username': { upperCaseUser: '201 json' },
  'logon-any-content-type': { otherType: '201 json' },
  'logon-malformed-401': { malformed: '401 json, Bearer', otherType: '401 json, Bearer' },
  'logon-refused-200': { logon: '200 json', wrongPassword: '200 json', upperCaseUser: '200 json' },
  'logon-refused-400': { wrongPassword: '400 json', upperCaseUser: '400 json' },
  'logon-refused-403': { wrongPassword: '403 json', upperCaseUser: '403 json' },
  'logon-refused-422': { wrongPassword: '422 json', upperCaseUser: '422 json' },
  'logon-slow': {},
  'missing-400-invalid-401': { options: '400 json', none: '400 json' },
  'missing-401-invalid-403': {
    unknown: '403 json',
    revoked: '403 json',
    revokeAgain: '403 json',
    expired: '403 json',
    idle101: '403',
    idle104: '403',
  },
  'newest-5-tokens': { logons: '22 of 22, 5 valid' },
  'newest-token-only': { logons: '22 of 22, 1 valid' },
  'options-open': { options: '204 no body' },
  'query-refused': { longQuery: '400 json' },
  'rejections-400': {
    options: '400 json',
    none: '400 json',
    unknown: '400 json',
    revoked: '400 json',
    revokeAgain: '400 json',
    expired: '400 json',
    idle101: '400',
    idle104: '400',
  },
  'rejections-403': {
    options: '403 json',
    none: '403 json',
    unknown: '403 json',
    wrongPassword: '403 json',
    upperCaseUser: '403 json',
    revoked: '403 json',
    revokeAgain: '403 json',
    expired: '403 json',
    idle101: '403',
    idle104: '403',
  },
  'rejections-404': {
    options: '404 json',
    none: '404 json',
    unknown: '404 json',
    revoked: '404 json',
    revokeAgain: '404 json',
    expired: '404 json',
    idle101: '404',
    idle104: '404',
  },
  'rejections-418': {
    options: '418 json',
    none: '418 json',
    unknown: '418 json',
    revoked: '418 json',
    revokeAgain: '418 json',
    expired: '418 json',
    idle101: '418',
    idle104: '418',
  },
  'rejections-419': {
    options: '419 json',
    none: '419 json',
    unknown: '419 json',
    revoked: '419 json',
    revokeAgain: '419 json',
    expired: '419 json',
    idle101: '419',
    idle104: '419',
  },
  'rejections-440': {
    options: '440 json',
    none: '440 json',
    unknown: '440 json',
    revoked: '440 json',
    revokeAgain: '440 json',
    expired: '440 json',
    idle101: '440',
    idle104: '440',
  },
  'rejections-gzip': { gzip: true },
  'rejections-html': {
    options: '401 html, Bearer',
    none: '401 html, Bearer',
    unknown: '401 html, Bearer',
    wrongPassword: '401 html, Bearer',
    upperCaseUser: '401 html, Bearer',
    revoked: '401 html, Bearer',
    revokeAgain: '401 html, Bearer',
    expired: '401 html, Bearer',
  },
  'rejections-problem-json': {
    options: '401 problem+json, Bearer',
    none: '401 problem+json, Bearer',
    rejectionsAlike: false,
    unknown: '401 problem+json, Bearer',
    revoked: '401 problem+json, Bearer',
    revokeAgain: '401 problem+json, Bearer',
    expired: '401 problem+json, Bearer',
  },
  'rejections-text': {
    options: '401 plain, Bearer',
    none: '401 plain, Bearer',
    unknown: '401 plain, Bearer',
    wrongPassword: '401 plain, Bearer',
    upperCaseUser: '401 plain, Bearer',
    revoked: '401 plain, Bearer',
    revokeAgain: '401 plain, Bearer',
    expired: '401 plain, Bearer',
  },
  'rejections-varying': { logonTexts: 3, usersTexts: 3, usersHeaders: ['x-request-id'], rejectionsAlike: false },
  'rejections-without-body': {
    options: '401 no body, Bearer',
    none: '401 no body, Bearer',
    unknown: '401 no body, Bearer',
    wrongPassword: '401 no body, Bearer',
    upperCaseUser: '401 no body, Bearer',
    revoked: '401 no body, Bearer',
    revokeAgain: '401 no body, Bearer',
    expired: '401 no body, Bearer',
  },
  'revocation-200': { revoke: '200 json' },
  'revocation-202': { revoke: '202 no body' },
  'revocation-always-204': { revokeAgain: '204 no body' },
  'revocation-unknown-404': { revokeAgain: '404 json' },
  'scheme-exact': { lowerCaseScheme: '401 json, Bearer' },
  slow: {},
  'status-line-http10': { version: '1.0', answersOfTwo: 1, answersOfTwoWithoutHost: 1 },
  'token-2-kilobytes': { tokenLength: 2048 },
  'token-8-characters': { tokenLength: 8 },
  'token-among-others': { logonTexts: 6 },
  'token-as-number': { tokenLength: 15 },
  'token-as-text': { logon: '201 plain', tokenAt: '' },
  'token-digits': { tokenLength: 20 },
  'token-in-array': { tokenAt: '1.value', logonTexts: 4 },
  'token-in-cookie': { tokenAt: 'cookie core_token' },
  'token-in-header': { tokenAt: 'header x-auth-token' },
  'token-jwt': { tokenLength: 120 },
  'token-nested': { tokenAt: 'data.session.bearer', logonTexts: 3 },
  'token-numbered': { tokenLength: 43 },
  'token-oauth': { logon: '200 json', tokenAt: 'access_token', logonTexts: 2 },
  'token-token68': { tokenLength: 68 },
  'token-upper-case-hex': { tokenLength: 32 },
  'token-with-scheme': { tokenAt: 'authorization' },
  'users-absent': {
    users: '404 json',
    usersTexts: 1,
    usersOverHttp10: '404 json',
    head: '404 no body',
    longQuery: '404 json',
    lowerCaseScheme: '404 json',
    usersAfterwards: '404 json',
    idle98: '404',
  },
  'users-empty': { usersTexts: 0 },
  'users-forbidden': {
    users: '403 json',
    usersTexts: 1,
    usersOverHttp10: '403 json',
    head: '403 no body',
    longQuery: '403 json',
    lowerCaseScheme: '403 json',
    usersAfterwards: '403 json',
    idle98: '403',
  },
  'users-forbidden-like-rejections': {
    users: '403 json',
    usersTexts: 3,
    usersOverHttp10: '403 json',
    head: '403 no body',
    options: '403 json',
    longQuery: '403 json',
    lowerCaseScheme: '403 json',
    none: '403 json',
    unknown: '403 json',
    usersAfterwards: '403 json',
    revoked: '403 json',
    revokeAgain: '403 json',
    expired: '403 json',
    idle98: '403',
    idle101: '403',
    idle104: '403',
  },
  'users-only': { core: '404 json', accessMode: '401 json, Bearer' },
}
