import {
  DeletedError,
  NotFoundError,
  OffchainRefusedError,
  OverloadedError,
  RateLimitedError,
} from '@attestry/core/errors/apiErrors.ts'
import { fileBlockBytesMax } from '@attestry/core/model/contentId.ts'
import type { OffchainCheck, OffchainRecord } from '@attestry/core/model/offchainRecord.ts'
import { makeEntry } from '../offchainStore/makeEntry.ts'
import { isTombstone, type OverQuota, type StoredOffchain } from '../offchainStore/offchainStore.ts'
import type { OffchainContext } from './offchainContext.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import type { OffchainStorage, Writer } from './offchainStorage.ts'
import { verifyRecord } from './verifyOffchain.ts'

/** The kinds of statements that a path takes. */
export type StatementKind = 'eas' | OffchainRecord['kind']

interface Request {
  readonly text: string
  /** The kind of statement that the path takes. */
  readonly wanted: StatementKind
  readonly by: Writer
}

/**
 * Stores a statement that passes all checks of its verification.
 * @returns the entry; of a revocation, the revoked one.
 * @throws OffchainRefusedError naming the check that failed.
 * @throws DeletedError for a statement that the operator deleted.
 * @throws RateLimitedError, OverloadedError over a quota.
 */
export async function storeStatement(
  context: OffchainContext,
  storage: OffchainStorage,
  { text, wanted, by }: Request,
): Promise<StoredOffchain> {
  if (Buffer.byteLength(text) > fileBlockBytesMax) {
    throw refused('format', `the text is longer than ${fileBlockBytesMax} bytes`)
  }
  const read = await context.offchain.read(text)
  if (read.kind === 'unreadable') throw refused('format', read.reason)
  const { record } = read
  const found = record.protocol === 'eas' ? 'eas' : record.kind
  if (found !== wanted) throw refused('format', `this path takes ${names[wanted]}, not ${names[found]}`)
  const verified = await verifyRecord(context, record)
  // A revocation counts whenever the index learns of it; what is stored is not revoked by that.
  const failed = verified.checks.find(
    ({ name, ok, unknown }) => !ok && !(name === 'revocation' && unknown === true),
  )
  if (failed !== undefined) throw refused(failed.name, failed.message)
  const now = context.now()
  if (record.kind === 'revocation') return await revoke(storage, record, { text, now, by })
  if (wanted === 'attestation') await checkAgainstSchema(storage, record)
  const entry = makeEntry(read, text, { storedAt: now, storedBy: by.name })
  if (entry === null) throw new TypeError('an attestation or schema makes an entry')
  const outcome = await storage.store.add(entry, { quota: storage.quota, asker: by.asker })
  switch (outcome.kind) {
    case 'added':
    case 'known':
      return outcome.entry
    case 'deleted':
      throw deleted(entry.id)
    case 'overQuota':
      throw overQuota(outcome, now)
  }
}

const whose: Readonly<Record<OverQuota['of'], string>> = {
  key: 'This key has',
  address: 'This signer has',
  client: 'This client has',
  all: 'All clients together have',
}

/** The refusal until the day is over: of those who used their share up by themselves, and of all others. */
function overQuota({ of, unit, max }: OverQuota, now: number): RateLimitedError | OverloadedError {
  const seconds = Math.ceil((86_400_000 - (now % 86_400_000)) / 1_000)
  const what = `${max.toLocaleString('en')} ${unit === 'bytes' ? 'bytes' : 'statements'}`
  // One key, and one signer, has the whole quota of statements.
  const used =
    of === 'all' || (of !== 'client' && unit === 'entries')
      ? `stored the ${what}`
      : `used its share of the ${what}`
  const message = `${whose[of]} ${used} that may be stored a day (UTC); store the others tomorrow.`
  return of === 'all' ? new OverloadedError(message, seconds) : new RateLimitedError(message, seconds)
}

const names: Readonly<Record<StatementKind, string>> = {
  eas: 'attestations of EAS or BAS',
  attestation: 'signed attestations of Sign Protocol',
  schema: 'signed schemas of Sign Protocol',
  revocation: 'signed revocations of Sign Protocol',
}

function refused(check: OffchainCheck['name'] | 'signer', message: string): OffchainRefusedError {
  const sentence = message.replace(/\.$/, '')
  return new OffchainRefusedError(`Not stored, the check ${check} failed: ${sentence}.`)
}

/** The refusal of an id that the operator deleted. */
export function deleted(id: string): DeletedError {
  return new DeletedError(`The record ${quoteInput(id)} was deleted by the operator of this server.`)
}

/** An attestation of Sign Protocol has the fields of its schema, which is stored here. */
async function checkAgainstSchema({ store }: OffchainStorage, { schemaId, payload }: OffchainRecord) {
  const schema = schemaId?.startsWith('SPS_') === true ? await store.find(schemaId) : null
  if (schema === null || isTombstone(schema)) {
    throw refused('schema', `no schema ${quoteInput(schemaId ?? '')} is stored here`)
  }
  // The verification has found a JSON object in each of them.
  const fields = fieldNamesOf(schema.body.payload)
  const given = Object.keys(JSON.parse(payload.kind === 'json' ? payload.text : '{}') as object)
  const missing = fields.find((name) => !given.includes(name))
  if (missing !== undefined)
    throw refused('payload', `it lacks the field ${quoteInput(missing)} of its schema`)
  const unknown = given.find((name) => !fields.includes(name))
  if (unknown !== undefined) throw refused('payload', `its schema has no field ${quoteInput(unknown)}`)
}

function fieldNamesOf(schemaText: string): readonly string[] {
  const { types } = JSON.parse(schemaText) as { readonly types: readonly { readonly name: string }[] }
  return types.map(({ name }) => name)
}

async function revoke(
  { store, quota }: OffchainStorage,
  { payload, signer }: OffchainRecord,
  { text, now, by }: { readonly text: string; readonly now: number; readonly by: Writer },
): Promise<StoredOffchain> {
  const signed = JSON.parse(payload.kind === 'json' ? payload.text : '{}') as {
    readonly attestationId: string
    readonly reason: string
  }
  const { attestationId: id, reason } = signed
  const entry = await store.find(id)
  if (entry === null || (!isTombstone(entry) && entry.kind !== 'attestation')) {
    throw new NotFoundError(`No attestation ${quoteInput(id)} is stored here.`)
  }
  if (isTombstone(entry)) throw deleted(id)
  if (entry.signer !== signer) throw refused('signer', 'the attestation is of another account')
  const schema = entry.schemaId === null ? null : await store.find(entry.schemaId)
  if (schema !== null && !isTombstone(schema) && !schema.body.revocable) {
    throw refused('revocation', 'attestations under its schema cannot be revoked')
  }
  const revocation = { timestamp: Math.floor(now / 1_000), reason, text }
  const over = await store.revoke(id, revocation, { quota, asker: by.asker })
  if (over !== null) throw overQuota(over, now)
  return entry
}
