/** Runs in the child process only. Lets Pact's Verifier verify a contract. */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
// Uses the lower layer of @pact-foundation/pact: its upper layer adds a proxy, which answers malformed bodies itself and takes
// a failed provider state for a success.
import { Verifier } from '@pact-foundation/pact-core'
import type { VerifyTask } from './model.js'

/**
 * Verifies a contract.
 * @returns the Verifier's report, as JSON: see outcome.ts
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
    // A broken contract is thrown too, with the report as the message.
    if (message.startsWith('{')) return message
    throw new Error(message)
  } finally {
    rmSync(file, { force: true })
  }
}
