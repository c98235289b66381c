/** The variables that lead the command line to a mock Core. */
import type { ForkedMockCore, MockCore } from '../dist/mock/index.js'

/** As much of a mock Core as its variables need. */
type Address = Pick<MockCore, 'url' | 'certificateFingerprint'>

/** Returns the variables of a user of this mock Core: its address, the user, and trust in its certificate. */
export function variablesOf(
  { url, certificateFingerprint }: Address,
  { username, password }: MockCore['credentials'],
): Record<string, string> {
  return {
    CORE_URL: url,
    CORE_USERNAME: username,
    CORE_PASSWORD: password,
    CORE_FINGERPRINT: certificateFingerprint,
  }
}

/** Returns the further variables of a user who has its clock advanced. */
export function controlVariablesOf({ control }: Pick<ForkedMockCore, 'control'>): Record<string, string> {
  return { CORE_CONTROL_URL: control.url, CORE_CONTROL_KEY: control.key }
}
