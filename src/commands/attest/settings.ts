import { command } from '../../config/command.js'
import { file, text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { outBeside } from '../shared/settings.js'

/** `core-conformance attest`. */
export const ATTEST = command({
  name: 'attest',
  about: 'sign the result of a run or a fleet for a firmware release (in-toto, DSSE)',
  settings: {
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
  },
  operands: {
    value: 'RESULT',
    about: 'a result.json, or a fleet.json (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [{ env: 'CORE_ATTEST_PASSPHRASE', about: 'the passphrase of the private key, if it has one' }],
})

/** `core-conformance attest verify`. */
export const ATTEST_VERIFY = command({
  name: 'attest verify',
  about: 'check an attestation against its key, result and firmware, and show what it claims',
  settings: {
    key: { ...ATTEST.settings.key, about: 'the public key or certificate of the signer (PEM)' },
    result: setting('result', file(), 'the attested result.json or fleet.json (default: beside the attestation)', {
      env: 'CORE_ATTEST_RESULT',
    }),
    artifact: { ...ATTEST.settings.artifact, about: 'the firmware file, to check that it is the attested one' },
  },
  operands: {
    value: 'ATTESTATION',
    about: 'the file that attest wrote (default reports/attestation.intoto.jsonl)',
    atLeast: 0,
    atMost: 1,
  },
})
