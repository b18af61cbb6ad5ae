import { ConfigError, StartError } from '@attestry/core/errors/configErrors.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { archiveTexts } from '../offchainStore/contentArchive.ts'
import { isTombstone, type OffchainStore } from '../offchainStore/offchainStore.ts'
import { readTextLines } from '@attestry/store/transfer/readTextLines.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import type { SignersConfig } from '../offchain/offchainSchema.ts'
import { silentLogger } from '@attestry/host/createLogger.ts'
import { readPieces } from '@attestry/host/readPieces.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import { withLineEnds, writePieces } from '@attestry/host/writePieces.ts'
import { connectContractSigners } from './connectContractSigners.ts'
import { createOffchainVerifier } from './createOffchainVerifier.ts'
import { openOffchain } from './openOffchain.ts'
import { exportOffchain, importOffchain } from './transferOffchain.ts'
import { closing } from '@attestry/host/closing.ts'

export interface OffchainFlags {
  readonly output?: string
  readonly input?: string
  readonly format?: string
  readonly reason?: string
  readonly signer?: string
}

/**
 * Exports, imports or deletes stored off-chain attestations, also while a server runs.
 * @param words the order, and the id of what is deleted.
 * @throws ConfigError for a mistake of the command line.
 * @throws StartError if a file cannot be read, if nothing is deleted, and if entries of an import are refused.
 */
export async function runOffchainCommand(
  config: SignersConfig,
  [order, id]: readonly string[],
  flags: OffchainFlags,
): Promise<void> {
  await using store = closing(await openOffchain(config.database))
  switch (order) {
    case 'export':
      return await writeExport(store, flags)
    case 'import':
      return await readImport(store, config, flags.input ?? null)
    case 'delete':
      return await deleteEntry(store, id, flags)
    default: {
      const found = order === undefined ? 'there is none' : `it is ${quoteText(order)}`
      throw new ConfigError(`attestry offchain takes the order export, import or delete; ${found}`)
    }
  }
}

async function writeExport(store: OffchainStore, { output, format }: OffchainFlags): Promise<void> {
  const pieces: AsyncIterable<string | Uint8Array> =
    format === 'car' ? archiveTexts(textsOf(store)) : withLineEnds(exportOffchain(store))
  await writePieces(output ?? null, pieces)
}

async function* textsOf(store: OffchainStore): AsyncGenerator<string> {
  for await (const found of store.list()) {
    if (!isTombstone(found)) yield found.body.text
  }
}

async function readImport(store: OffchainStore, config: SignersConfig, file: string | null): Promise<void> {
  const bytes = file === null ? (process.stdin as AsyncIterable<Uint8Array>) : readPieces(file)
  await using signers = closing(connectContractSigners(config.chains, config.signerChains, silentLogger()))
  const verifier = createOffchainVerifier(config.chains, signers.ask)
  const { entries, tombstones, refused } = await importOffchain(store, readTextLines(bytes), verifier)
  await writeLines([`Imported ${entries} off-chain records and ${tombstones} tombstones`])
  for (const reason of refused) await writeLines([`refused: ${reason}`])
  if (refused.length > 0) throw new StartError('Entries of the export were refused; the others are imported')
}

async function deleteEntry(
  store: OffchainStore,
  id: string | undefined,
  { reason, signer: signerText }: OffchainFlags,
): Promise<void> {
  if (id === undefined) throw new ConfigError('attestry offchain delete needs the id of a record')
  if (reason === undefined)
    throw new ConfigError('attestry offchain delete needs --reason, which the tombstone keeps')
  const signer = signerText === undefined ? null : parseAddress(signerText)
  if (signerText !== undefined && signer === null) {
    throw new ConfigError(`The option --signer must be an address; it is ${quoteText(signerText)}`)
  }
  const signers = await store.signersOf(id)
  if (signers.length > 1 && signer === null) {
    throw new ConfigError(
      `${signers.length} accounts signed the words of ${id}: ${signers.join(', ')}; name the one to delete with --signer`,
    )
  }
  const count = await store.remove(id, reason, Date.now(), signer)
  if (count === 0) throw new StartError(`No off-chain record ${quoteText(id)} is stored`)
  await writeLines([`Deleted ${id}; a tombstone is left`])
}
