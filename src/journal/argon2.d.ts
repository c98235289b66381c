/** The types of one part of hash-wasm, which the package declares for the whole only. */
declare module 'hash-wasm/dist/argon2.umd.min.js' {
  import type { argon2id } from 'hash-wasm'

  const argon2: { argon2id: typeof argon2id }
  export default argon2
}
