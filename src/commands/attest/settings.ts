import type { Command, Secret } from '../../config/command.js'
import { file, text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { outBeside } from '../shared/settings.js'

/** Settings of `attest` and `attest verify`. */
export const ATTESTING = {
  artifact: setting({
    flag: 'artifact',
    takes: file(),
    about: 'the file of the firmware that the Core ran: its name and digest are attested',
  }),
  digest: setting({
    flag: 'digest',
    env: 'CORE_ARTIFACT_DIGEST',
    takes: text('SHA256'),
    about: 'its SHA-256 in the place of the file; then --subject names it',
  }),
  subject: setting({
    flag: 'subject',
    env: 'CORE_ATTEST_SUBJECT',
    takes: text('NAME'),
    about: 'how the firmware is called (default the name of its file)',
  }),
  key: setting({
    flag: 'key',
    env: 'CORE_ATTEST_KEY',
    takes: file(),
    about: 'the private key that signs (PEM: Ed25519, or ECDSA on P-256 or P-384)',
  }),
  out: outBeside('attestation.intoto.jsonl goes', 'the result'),
}
/** The result that the attestation is about. */
export const ATTESTED_RESULT = setting({
  flag: 'result',
  env: 'CORE_ATTEST_RESULT',
  takes: file(),
  about: 'the result.json or fleet.json that it is of (default beside the attestation)',
})
const PASSPHRASE: Secret = {
  env: 'CORE_ATTEST_PASSPHRASE',
  about: 'what the private key is encrypted with, where it is',
}

/** `core-conformance attest`. */
export const ATTEST: Command = {
  name: 'attest',
  about: 'sign for a firmware release what a run or a fleet was seen to come to (in-toto, DSSE)',
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
  about: 'check an attestation against its key, its result and its firmware, and say what it claims',
  options: [
    { ...ATTESTING.key, about: 'the public key, or the certificate, of whoever signed (PEM)' },
    ATTESTED_RESULT,
    { ...ATTESTING.artifact, about: 'the file of the firmware, to see that it is the one that is meant' },
  ],
  operands: {
    value: 'ATTESTATION',
    about: 'what attest wrote (default reports/attestation.intoto.jsonl)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [],
}
