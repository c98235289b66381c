import type { Command, Secret } from '../../config/command.js'
import { file, text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { outBeside } from '../shared/settings.js'

/** Settings of `attest` and `attest verify`. */
export const ATTESTING = {
  artifact: setting('artifact', file(), 'the firmware file that the Core ran; its name and digest are attested'),
  digest: setting('digest', text('SHA256'), 'the SHA-256 of the firmware, instead of its file; needs --subject', {
    env: 'CORE_ARTIFACT_DIGEST',
  }),
  subject: setting('subject', text('NAME'), 'the name of the firmware (default: the name of its file)', {
    env: 'CORE_ATTEST_SUBJECT',
  }),
  key: setting('key', file(), 'the private key to sign with (PEM: Ed25519, or ECDSA on P-256 or P-384)', {
    env: 'CORE_ATTEST_KEY',
  }),
  out: outBeside('attestation.intoto.jsonl goes', 'the result'),
}
/** The result that the attestation is about. */
export const ATTESTED_RESULT = setting(
  'result',
  file(),
  'the attested result.json or fleet.json (default: beside the attestation)',
  { env: 'CORE_ATTEST_RESULT' },
)
const PASSPHRASE: Secret = {
  env: 'CORE_ATTEST_PASSPHRASE',
  about: 'the passphrase of the private key, if it has one',
}

/** `core-conformance attest`. */
export const ATTEST: Command = {
  name: 'attest',
  about: 'sign the result of a run or a fleet for a firmware release (in-toto, DSSE)',
  options: Object.values(ATTESTING),
  operands: {
    value: 'RESULT',
    about: 'a result.json, or a fleet.json (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [PASSPHRASE],
}

/** `core-conformance attest verify`. */
export const ATTEST_VERIFY: Command = {
  name: 'attest verify',
  about: 'check an attestation against its key, result and firmware, and show what it claims',
  options: [
    { ...ATTESTING.key, about: 'the public key or certificate of the signer (PEM)' },
    ATTESTED_RESULT,
    { ...ATTESTING.artifact, about: 'the firmware file, to check that it is the attested one' },
  ],
  operands: {
    value: 'ATTESTATION',
    about: 'the file that attest wrote (default reports/attestation.intoto.jsonl)',
    atLeast: 0,
    atMost: 1,
  },
}
