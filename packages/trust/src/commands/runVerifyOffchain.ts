import { verifyOffchain } from '../offchain/verifyOffchain.ts'
import { ProofInvalidError, ProofMalformedError } from '@attestry/core/errors/proofErrors.ts'
import type { OffchainCheck } from '@attestry/core/model/offchainRecord.ts'
import { currentTimeMs } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { verifyAlone } from '../statements/verifyAlone.ts'
import type { SignersConfig } from '../offchain/offchainSchema.ts'
import { silentLogger } from '@attestry/host/createLogger.ts'
import { connectContractSigners } from './connectContractSigners.ts'
import { createOffchainVerifier } from './createOffchainVerifier.ts'
import type { CommandInput } from '@attestry/host/readInput.ts'
import { findPublished } from '@attestry/core/protocols/deployments.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import type { WriteLine } from '@attestry/host/standardOutput.ts'
import { closing } from '@attestry/host/closing.ts'

/**
 * Verifies an off-chain attestation and writes a line for each check. Without a configuration only the
 * text is checked; with one, its index and the endpoints of its chains are asked too.
 * @throws ProofMalformedError if the input is no off-chain attestation; ProofInvalidError if a check fails.
 * @throws StartError if the configured database does not exist.
 */
export async function runVerifyOffchain(
  { name, text }: CommandInput,
  config: SignersConfig | null,
  write: WriteLine,
): Promise<void> {
  const checks = config === null ? (await verifyAlone(text)).checks : await checkWithIndex(text, config)
  const [format] = checks
  if (format?.ok !== true) {
    throw new ProofMalformedError(`${name} is no off-chain attestation: ${format?.message ?? ''}`)
  }
  const failed = checks.filter(({ ok }) => !ok)
  await write(failed.length === 0 ? 'Valid, by these checks:' : 'Not valid:')
  for (const check of checks) {
    await write(
      `  ${check.ok ? 'ok' : check.unknown === true ? '? ' : 'no'}  ${check.name.padEnd(10)}  ${check.message}`,
    )
  }
  if (config === null) {
    await write(
      'Not checked: schema, payload and revocation. --config asks the index and chains of a configuration.',
    )
  }
  const [first] = failed
  if (first !== undefined) throw new ProofInvalidError(`The attestation does not hold: ${first.message}`)
}

async function checkWithIndex(text: string, config: SignersConfig): Promise<readonly OffchainCheck[]> {
  await using reader = closing((await openExisting(config.database)).openReader())
  await using signers = closing(connectContractSigners(config.chains, config.signerChains, silentLogger()))
  const { checks } = await verifyOffchain(
    {
      reader,
      decodePayload: decodeAttestedPayload,
      offchain: createOffchainVerifier(config.chains, signers.ask),
      now: currentTimeMs,
      findPublished,
    },
    text,
  )
  return checks
}
