/** Runs in the child process only: lets Pact's Verifier verify a contract. */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
// By way of the part that @pact-foundation/pact itself drives: the proxy that it puts before it answers malformed bodies
// itself, and takes a provider state that failed for one that succeeded.
import { Verifier } from '@pact-foundation/pact-core'
import type { VerifyTask } from './process.js'

/**
 * Verifies a contract.
 * @returns what the Verifier found, as JSON: see outcome.ts
 * @throws Error when it could not run
 */
export async function verify({ contract, gatewayUrl, statesUrl, timeoutMs }: VerifyTask): Promise<string> {
  const file = resolve(`${randomUUID()}.json`)
  writeFileSync(file, contract)
  try {
    const verifier = new Verifier({
      providerBaseUrl: gatewayUrl,
      providerStatesSetupUrl: statesUrl,
      providerStatesSetupBody: true,
      pactUrls: [file],
      timeout: timeoutMs,
      logLevel: 'error',
    })
    return await verifier.verify()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // A contract that does not hold is thrown, too, with what was found as the message.
    if (message.startsWith('{')) return message
    throw new Error(message)
  } finally {
    rmSync(file, { force: true })
  }
}
