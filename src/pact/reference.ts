/** The path of the logon, as the reference states it. */
export const LOGON_PATH = '/api/v0/logon'
