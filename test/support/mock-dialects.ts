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
  /** Present only for dialects with limits of other kinds. */
  limit?: string
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

/** What every refusal of a request with a token, or without one, becomes. */
const refused = (answer: string): Partial<Facts> => {
  const idle = /^\d+/.exec(answer)?.[0] ?? answer
  return {
    options: answer,
    none: answer,
    ...refusedToken(answer),
    ...(idle !== DEFAULT.idle101 && { idle101: idle, idle104: idle }),
  }
}

/** What the refusal of a token becomes that was never valid, or is so no more. */
const refusedToken = (answer: string): Partial<Facts> => ({
  unknown: answer,
  revoked: answer,
  revokeAgain: answer,
  expired: answer,
})

/** What the refusal of a logon becomes. */
const refusedLogon = (answer: string): Partial<Facts> => ({ wrongPassword: answer, upperCaseUser: answer })

/** What the users become for a token that opens the rest. */
const closedUsers = (status: string): Partial<Facts> => ({
  users: `${status} json`,
  usersTexts: 1,
  usersOverHttp10: `${status} json`,
  head: `${status} no body`,
  longQuery: `${status} json`,
  lowerCaseScheme: `${status} json`,
  usersAfterwards: `${status} json`,
  idle98: status,
})

/** The facts of each dialect that differ from those of the default one. */
export const DIFFERS: Record<string, Partial<Facts>> = {
  'access-mode-protected': { accessMode: '401 json, Bearer' },
  'ban-after-10-refusals-hang-up': { limit: 'hung up and hung up; hung up and hung up; 200 json and 201 json' },
  'ban-after-15-refusals-403': { limit: '403 json and 403 json; 403 json and 403 json; 200 json and 201 json' },
  'ban-after-6-refusals': { limit: '429 json and 429 json; 429 json and 429 json; 200 json and 201 json' },
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
  'headers-few': { ...refused('401 json'), ...refusedLogon('401 json') },
  'headers-many': {
    ...refused('401 json, Basic realm="core", Bearer realm="core"'),
    usersHeaders: [
      'set-cookie',
      'strict-transport-security',
      'x-content-type-options',
      'cache-control',
      'server',
      'via',
    ],
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
  'limit-10-new-connections-a-second-waiting': { limit: '10, 20, 30 of 40' },
  'limit-10-new-connections-a-second': { limit: '10 of 40, then hung up, Retry-After not told' },
  'limit-10-requests-a-second-1970': { limit: '10 of 40, then 429, Retry-After of 1970' },
  'limit-12-requests-a-second-hang-up': { limit: '12 of 40, then hung up, Retry-After not told' },
  'limit-20-requests-a-second-all-counted': { limit: '20 of 40, then 429, Retry-After not told' },
  'limit-20-requests-a-second-burst-10': { limit: '11 of 40, then 503, Retry-After not told' },
  'limit-20-requests-a-second-evenly': { limit: '1 of 40, then 429, Retry-After not told' },
  'limit-20-requests-a-second-waiting': { limit: '20, 40 of 40' },
  'limit-20-requests-a-second': { limit: '20 of 40, then 429, Retry-After 1' },
  'limit-3-requests-a-connection-unannounced': { limit: '3 of 5, keep-alive,keep-alive,keep-alive' },
  'limit-3-requests-a-connection': { limit: '3 of 5, keep-alive,keep-alive,close' },
  'limit-30-requests-a-second-unanswered': { limit: '30 of 40' },
  'limit-logons-2-a-second-waiting': { limit: '2, 4 of 4' },
  'limit-10-tokens-200': { logons: '10 of 22, 10 valid, then 200, Retry-After not told' },
  'limit-10-tokens-409': { logons: '10 of 22, 10 valid, then 409, Retry-After not told' },
  'limit-10-tokens-423': { logons: '10 of 22, 10 valid, then 423, Retry-After not told' },
  'limit-10-tokens-503': { logons: '10 of 22, 10 valid, then 503, Retry-After not told' },
  'limit-10-tokens-free-late': {
    logons: '10 of 22, 10 valid, then 429, Retry-After not told',
    limit: 'after a revocation 429 json, later 201 json',
  },
  'limit-10-tokens-500': { logons: '10 of 22, 10 valid, then 500, Retry-After not told' },
  'limit-10-tokens-hang-up': { logons: '10 of 22, 10 valid, then hung up, Retry-After not told' },
  'limit-logons-5-a-second': { logons: '5 of 22, 5 valid, then 429, Retry-After 1' },
  'limit-logons-5-a-second-date': { logons: '5 of 22, 5 valid, then 429, Retry-After a date' },
  'limit-logons-5-a-second-hang-up': { logons: '5 of 22, 5 valid, then hung up, Retry-After not told' },
  'limit-logons-5-a-second-silent': { logons: '5 of 22, 5 valid, then 429, Retry-After not told' },
  'limit-3-tokens-3600': { logons: '3 of 22, 3 valid, then 429, Retry-After 3600' },
  'limit-5-tokens': { logons: '5 of 22, 5 valid, then 403, Retry-After not told' },
  'limit-logon-rate': { logons: '20 of 22, 20 valid, then 429, Retry-After 10' },
  'limit-target-300': { longQuery: '414 no body' },
  'lock-out-after-3-wrong-logons': {
    limit: '200 json and 401 json, Bearer; 200 json and 401 json, Bearer; 200 json and 201 json',
  },
  'lock-out-after-5-wrong-logons-423': {
    limit: '200 json and 401 json, Bearer; 200 json and 423 json; 200 json and 201 json',
  },
  'logon-200': { logon: '200 json' },
  'logon-202': { logon: '202 json' },
  'logon-any-case-username': { upperCaseUser: '201 json' },
  'logon-any-content-type': { otherType: '201 json' },
  'logon-malformed-401': { malformed: '401 json, Bearer', otherType: '401 json, Bearer' },
  'logon-one-at-a-time': { limit: '0, 1, 2 of 2' },
  'logon-refused-200': { logon: '200 json', wrongPassword: '200 json', upperCaseUser: '200 json' },
  'logon-refused-400': { wrongPassword: '400 json', upperCaseUser: '400 json' },
  'logon-refused-403': { wrongPassword: '403 json', upperCaseUser: '403 json' },
  'logon-refused-422': { wrongPassword: '422 json', upperCaseUser: '422 json' },
  'logon-slow': {},
  'missing-400-invalid-401': { options: '400 json', none: '400 json' },
  'missing-401-invalid-403': { ...refusedToken('403 json'), idle101: '403', idle104: '403' },
  'newest-5-tokens': { logons: '22 of 22, 5 valid' },
  'newest-token-only': { logons: '22 of 22, 1 valid' },
  'options-open': { options: '204 no body' },
  'query-refused': { longQuery: '400 json' },
  'rejections-200': {
    ...refused('200 json'),
    ...refusedLogon('200 json'),
    logon: '200 json',
    tokenAt: 'data.token',
    revoke: '200 json',
    usersTexts: 1,
  },
  'rejections-302': { ...refused('302 no body'), ...refusedLogon('302 no body') },
  'rejections-400': refused('400 json'),
  'rejections-403': { ...refused('403 json'), ...refusedLogon('403 json') },
  'rejections-404': refused('404 json'),
  'rejections-418': refused('418 json'),
  'rejections-419': refused('419 json'),
  'rejections-440': refused('440 json'),
  'rejections-gzip': { gzip: true },
  'rejections-hang-up': { ...refused('hung up'), answersOfTwo: 0, answersOfTwoWithoutHost: 1 },
  'rejections-html': { ...refused('401 html, Bearer'), ...refusedLogon('401 html, Bearer') },
  'rejections-problem-json': { ...refused('401 problem+json, Bearer'), rejectionsAlike: false },
  'rejections-text': { ...refused('401 plain, Bearer'), ...refusedLogon('401 plain, Bearer') },
  'rejections-varying': { logonTexts: 3, usersTexts: 3, usersHeaders: ['x-request-id'], rejectionsAlike: false },
  'rejections-without-body': { ...refused('401 no body, Bearer'), ...refusedLogon('401 no body, Bearer') },
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
  'users-absent': closedUsers('404'),
  'users-empty': { usersTexts: 0 },
  'users-forbidden': closedUsers('403'),
  'users-forbidden-like-rejections': { ...closedUsers('403'), ...refused('403 json'), usersTexts: 3 },
  'users-only': { core: '404 json', accessMode: '401 json, Bearer' },
}
