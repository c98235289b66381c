import type { Command, Option, Secret } from './option.js'
import { OUT } from './shared.js'

const ARTIFACT: Option = {
  flag: 'artifact',
  env: 'CORE_ARTIFACT',
  value: 'FILE',
  about: 'the file of the firmware',
}
const KEY: Option = { flag: 'key', env: 'CORE_ATTEST_KEY', value: 'FILE', about: '' }
const PASSPHRASE: Secret = {
  env: 'CORE_ATTEST_PASSPHRASE',
  about: 'what the private key is encrypted with, where it is',
}

/** `core-conformance attest`. */
export const ATTEST: Command = {
  name: 'attest',
  about: 'sign for a firmware release what a run or a fleet was seen to come to (in-toto, DSSE)',
  options: [
    { ...ARTIFACT, about: 'the file of the firmware that the Core ran: its name and digest are attested' },
    {
      flag: 'digest',
      env: 'CORE_ARTIFACT_DIGEST',
      value: 'SHA256',
      about: 'its SHA-256 in the place of the file; then --subject names it',
    },
    {
      flag: 'subject',
      env: 'CORE_ATTEST_SUBJECT',
      value: 'NAME',
      about: 'how the firmware is called (default the name of its file)',
    },
    { ...KEY, about: 'the private key that signs (PEM: Ed25519, or ECDSA on P-256 or P-384)' },
    { ...OUT, about: 'where attestation.intoto.jsonl goes (default beside the result)' },
  ],
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
    { ...KEY, about: 'the public key, or the certificate, of whoever signed (PEM)' },
    {
      flag: 'result',
      env: 'CORE_ATTEST_RESULT',
      value: 'FILE',
      about: 'the result.json or fleet.json that it is of (default beside the attestation)',
    },
    { ...ARTIFACT, about: 'the file of the firmware, to see that it is the one that is meant' },
  ],
  operands: {
    value: 'ATTESTATION',
    about: 'what attest wrote (default reports/attestation.intoto.jsonl)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [],
}
