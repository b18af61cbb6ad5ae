import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { OffchainVerifier, ReadOffchain } from '@attestry/core/model/offchainRecord.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { parseLineJson } from '@attestry/store/transfer/lineFields.ts'
import { makeEntry } from '../offchainStore/makeEntry.ts'
import {
  isTombstone,
  type OffchainEntry,
  type OffchainRevocation,
  type OffchainStore,
} from '../offchainStore/offchainStore.ts'

/**
 * The export of the store as NDJSON: a line for each text with when and by whom it was stored, in the order of storing,
 * and one for each tombstone. The first line names the format.
 */
const header = { type: 'offchain', version: 1 } as const

interface EntryLine {
  readonly type: 'entry'
  readonly storedAt: number
  readonly storedBy: string
  readonly text: string
  readonly revocation: OffchainRevocation | null
}

interface TombstoneLine {
  readonly type: 'tombstone'
  readonly id: string
  readonly signer: string
  readonly contract: string | null
  readonly deletedAt: number
  readonly reason: string
}

export async function* exportOffchain(store: OffchainStore): AsyncGenerator<string> {
  yield JSON.stringify(header)
  for await (const found of store.list()) {
    const line: EntryLine | TombstoneLine = isTombstone(found)
      ? { type: 'tombstone', ...found }
      : {
          type: 'entry',
          storedAt: found.storedAt,
          storedBy: found.storedBy,
          text: found.body.text,
          revocation: found.revocation,
        }
    yield JSON.stringify(line)
  }
}

/** The result of an import. */
export interface OffchainImport {
  readonly entries: number
  readonly tombstones: number
  /** Entries whose checks failed, as sentences. */
  readonly refused: readonly string[]
}

/** Most refusals that are reported one by one. */
const refusedMax = 100

/**
 * Imports an export: every text is verified again by computation, and by the contract where a contract signed it.
 * Entries that are there stay as they are, so that an import can be repeated.
 * @throws ExportDamagedError for a line that no export has.
 */
export async function importOffchain(
  store: OffchainStore,
  lines: AsyncIterable<string>,
  verifier: OffchainVerifier,
): Promise<OffchainImport> {
  let [number, entries, tombstones] = [0, 0, 0]
  const refused: string[] = []
  for await (const text of lines) {
    number += 1
    const line = parseLine(text, number)
    if (number === 1) checkHeader(line)
    else if (line['type'] === 'tombstone') {
      await store.bury(readTombstone(line, number))
      tombstones += 1
    } else {
      const reason = await importEntry(store, line, number, verifier)
      if (reason === null) entries += 1
      else if (refused.length < refusedMax) refused.push(`line ${number}: ${reason}`)
    }
  }
  if (number === 0) throw new ExportDamagedError('the export is empty')
  return { entries, tombstones, refused }
}

type Line = Readonly<Record<string, unknown>>

function parseLine(text: string, number: number): Line {
  const line = parseLineJson(text, number)
  if (typeof line === 'object' && line !== null && !Array.isArray(line)) return line as Line
  throw new ExportDamagedError(`line ${number} of the export is no JSON object`)
}

function checkHeader({ type, version }: Line): void {
  if (type !== header.type) {
    throw new ExportDamagedError('the file is no export of the store of off-chain attestations')
  }
  if (version !== header.version) {
    throw new ExportDamagedError(
      `the export has the version ${String(version)}; this program reads ${header.version}`,
    )
  }
}

function readTombstone({ id, signer, contract, deletedAt, reason }: Line, number: number) {
  const [ofSigner, ofContract] = [signer, contract].map((text) => parseAddress(String(text)))
  if (typeof id !== 'string' || !ofSigner || typeof deletedAt !== 'number' || typeof reason !== 'string') {
    throw new ExportDamagedError(`line ${number} of the export is no tombstone`)
  }
  return { id, signer: ofSigner, contract: ofContract ?? null, deletedAt, reason }
}

/** Imports one entry; returns why it was refused, or null. */
async function importEntry(
  store: OffchainStore,
  { type, text, storedAt, storedBy, revocation }: Line,
  number: number,
  verifier: OffchainVerifier,
): Promise<string | null> {
  if (
    type !== 'entry' ||
    typeof text !== 'string' ||
    typeof storedAt !== 'number' ||
    typeof storedBy !== 'string'
  ) {
    throw new ExportDamagedError(`line ${number} of the export is no entry`)
  }
  const verified = await verify(text, verifier, storedAt)
  if (typeof verified === 'string') return verified
  const entry = makeEntry(verified, text, { storedAt, storedBy })
  if (entry === null) return 'it is a revocation by itself'
  const revoked = await readRevocation(revocation, entry, verifier, storedAt)
  if (typeof revoked === 'string') return revoked
  const outcome = await store.add(entry, null)
  if (outcome.kind === 'deleted') return `${entry.id} was deleted here`
  if (revoked !== null) await store.revoke(entry.id, revoked, null)
  return null
}

async function readRevocation(
  revocation: unknown,
  entry: OffchainEntry,
  verifier: OffchainVerifier,
  storedAt: number,
): Promise<OffchainRevocation | string | null> {
  if (revocation === null || revocation === undefined) return null
  const { text, timestamp, reason } = revocation as Line
  if (typeof text !== 'string' || typeof timestamp !== 'number' || typeof reason !== 'string') {
    return 'its revocation is none'
  }
  const verified = await verify(text, verifier, storedAt)
  if (typeof verified === 'string') return `its revocation: ${verified}`
  const { record } = verified
  const payload = record.payload.kind === 'json' ? record.payload.text : '{}'
  const signed = JSON.parse(payload) as { readonly attestationId?: unknown; readonly reason?: unknown }
  const isOfEntry =
    record.kind === 'revocation' && record.signer === entry.signer && signed.attestationId === entry.id
  return isOfEntry && signed.reason === reason
    ? { text, timestamp, reason }
    : 'its revocation is of another record'
}

/** Reads and checks a text as of the time of its storing; returns a sentence where a check fails. */
async function verify(
  text: string,
  verifier: OffchainVerifier,
  storedAt: number,
): Promise<Extract<ReadOffchain, { readonly kind: 'record' }> | string> {
  const read = await verifier.read(text)
  if (read.kind === 'unreadable') return `${read.reason}.`
  const checks = await verifier.check(read.record, unixSeconds(Math.floor(storedAt / 1_000)))
  return checks.find(({ ok }) => !ok)?.message ?? read
}
