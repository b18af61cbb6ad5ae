import type { DecodedPayload, NamedPayloadValue } from '@attestry/core/model/decodedPayload.ts'
import { ApiError } from '@attestry/core/errors/apiErrors.ts'
import { asClause } from '@attestry/core/errors/baseError.ts'
import { describeDoubt, findDoubt, maxStalenessDefault } from '@attestry/core/model/chainDoubt.ts'
import { parseChainId, parseLocalId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash } from '@attestry/core/model/hex.ts'
import { describeOffchain, type OffchainContent } from '@attestry/core/model/describeOffchain.ts'
import {
  checkNames,
  isExpired,
  type OffchainCheck,
  type OffchainRecord,
} from '@attestry/core/model/offchainRecord.ts'
import { formatMoment, unixSeconds } from '@attestry/core/model/time.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { OffchainContext } from './offchainContext.ts'
import { presentDecoded } from '@attestry/server/records/presentDecodedData.ts'
import { decodeOffchain } from './decodeOffchain.ts'
import { findAnchorTimes, type AnchorTimes } from './findAnchorTimes.ts'

/** The answer of `POST /scan/offchain/verify` (docs/offchain.md, "Over HTTP"). */
export interface VerifiedOffchain extends OffchainContent {
  readonly valid: boolean
  readonly decodedData: readonly NamedPayloadValue[] | null
  readonly decodedDataError: string | null
  readonly timestampedAt: number | null
  readonly revokedAt: number | null
  readonly expired: boolean
  readonly checks: readonly OffchainCheck[]
}

/** The parts of the API's context that a verification needs. */
type VerifyContext = Pick<OffchainContext, 'reader' | 'decodePayload' | 'offchain' | 'now' | 'findPublished'>

/** A verification with a proof of state that its signer has, or has not, revoked it. */
export interface ProvenOffchain extends VerifiedOffchain {
  readonly proof: object | null
  /** The reason why there is no proof; null with one. */
  readonly proofError: string | null
}

/** The same as `verifyOffchain`, with the proof. */
export async function proveOffchain(
  context: VerifyContext & Pick<OffchainContext, 'stateProofs'>,
  text: string,
): Promise<ProvenOffchain> {
  const verified = await verifyOffchain(context, text)
  const { chainId, protocol, signer, uid } = verified
  const [chain, account, hash] = [
    parseChainId(chainId ?? ''),
    parseAddress(signer ?? ''),
    parseHash(uid ?? ''),
  ]
  if (protocol !== 'eas' || chain === null || account === null || hash === null) {
    const proofError = 'Only contracts of EAS keep revocations of off-chain attestations.'
    return { ...verified, proof: null, proofError }
  }
  try {
    const proof = await context.stateProofs.proveAnchor(context.reader, {
      chainId: chain,
      account,
      uid: hash,
    })
    return { ...verified, proof, proofError: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...verified, proof: null, proofError: error.message }
  }
}

/** Verifies an input, with what the index knows of its schema, payload and anchors. Nothing is stored. */
export async function verifyOffchain(context: VerifyContext, text: string): Promise<VerifiedOffchain> {
  const read = await context.offchain.read(text)
  return read.kind === 'unreadable' ? unreadable(read.reason) : await verifyRecord(context, read.record)
}

/** Verifies a record that was read. */
export async function verifyRecord(
  context: VerifyContext,
  record: OffchainRecord,
): Promise<VerifiedOffchain> {
  const now = unixSeconds(Math.floor(context.now() / 1000))
  const checks = await context.offchain.check(record, now)
  const facts = record.protocol === 'eas' ? await findEasFacts(context, record) : signFacts(context, record)
  const all = [...checks, ...facts.checks]
  const ordered = checkNames.flatMap((name) => all.filter((check) => check.name === name))
  return {
    ...describeOffchain(record),
    valid: ordered.every(({ ok }) => ok),
    ...presentDecoded(facts.payload),
    timestampedAt: facts.anchors.timestampedAt,
    revokedAt: facts.anchors.revokedAt,
    expired: isExpired(record, now),
    checks: ordered,
  }
}

const isUnknown = { unknown: true } as const

/** The facts that the index adds to the checks of the record itself. */
interface Facts {
  readonly payload: DecodedPayload
  readonly anchors: AnchorTimes
  readonly checks: readonly OffchainCheck[]
}

async function findEasFacts(context: VerifyContext, record: OffchainRecord): Promise<Facts> {
  const { chainId } = record.domain
  const localId = parseLocalId(record.schemaId ?? '')
  if (chainId === null || localId === null || record.uid === null) {
    throw new TypeError('a record of EAS has a chain, a schema and a uid')
  }
  // Read before the anchors: they lack no more than is said.
  const chains = await context.reader.listChains()
  const chain = chains.find(
    ({ status }) => status.chainId === chainId && status.protocols.includes(record.protocol),
  )
  const isIndexed = chain !== undefined
  const key = { chainId, protocol: record.protocol, localId }
  const schema = isIndexed ? await context.reader.findSchema(key) : null
  const payload = decodeRecord(context, record, schema)
  const anchors = await findAnchorTimes(context.reader, {
    chainId,
    protocol: record.protocol,
    uid: record.uid.computed,
    signer: record.signer,
  })
  const doubt = findDoubt(chain, {
    now: context.now(),
    maxStaleness: maxStalenessDefault,
    moment: null,
    // Nothing tells the age of a record off chain.
    record: { protocols: [record.protocol], isIndexed: false },
    findPublished: context.findPublished,
  })
  const notKnown = !isIndexed
    ? `EAS on chain ${chainId} is not indexed here`
    : doubt && asClause(describeDoubt(chainId, doubt))
  return {
    payload,
    anchors,
    checks: [
      checkSchema(schema, chainId, notKnown),
      payload.kind === 'decoded'
        ? { name: 'payload', ok: true, message: 'The payload has the fields of its schema.' }
        : {
            name: 'payload',
            ok: false,
            message: `The payload cannot be decoded: ${payload.reason}.`,
            ...(schema === null ? isUnknown : {}),
          },
      checkRevocation(record, anchors, notKnown),
    ],
  }
}

function decodeRecord(
  context: VerifyContext,
  { protocol, payload }: OffchainRecord,
  schema: StoredSchema | null,
): DecodedPayload {
  return decodeOffchain(context, protocol, payload.kind === 'abi' ? payload.data : payload.text, schema)
}

function checkSchema(schema: StoredSchema | null, chainId: ChainId, notKnown: string | null): OffchainCheck {
  const name = 'schema'
  if (schema !== null) return { name, ok: true, message: `Its schema is registered on chain ${chainId}.` }
  if (notKnown === null)
    return { name, ok: false, message: `Its schema is not registered on chain ${chainId}.` }
  const message = `Whether its schema is registered is not known: ${notKnown}.`
  return { name, ok: false, message, ...isUnknown }
}

function checkRevocation(
  { revocable }: OffchainRecord,
  { revokedAt }: AnchorTimes,
  notKnown: string | null,
): OffchainCheck {
  const name = 'revocation'
  if (revokedAt !== null) {
    const though = revocable ? '' : ', although it says that it is not revocable'
    const when = formatMoment(BigInt(revokedAt))
    return { name, ok: false, message: `Its signer revoked it at ${when}${though}.` }
  }
  return notKnown === null
    ? { name, ok: true, message: 'Its signer has not revoked it on its chain.' }
    : { name, ok: false, message: `Whether it was revoked is not known: ${notKnown}.`, ...isUnknown }
}

/** Sign Protocol's service holds schemas and revocations of off-chain records; no chain has them. */
function signFacts(context: VerifyContext, record: OffchainRecord): Facts {
  const payload = decodeRecord(context, record, null)
  return {
    payload,
    anchors: { timestampedAt: null, revokedAt: null },
    checks: [
      {
        name: 'schema',
        ok: true,
        message: "Its schema is kept by Sign's service, so the payload is not compared with it.",
      },
      payload.kind === 'decoded'
        ? { name: 'payload', ok: true, message: 'The payload is a JSON object.' }
        : { name: 'payload', ok: false, message: 'The payload is no JSON object.' },
      {
        name: 'revocation',
        ok: true,
        message: "What was signed has no id, so a revocation that Sign's service may hold cannot be found.",
      },
    ],
  }
}

function unreadable(reason: string): VerifiedOffchain {
  const notChecked = 'Not checked: the input cannot be read.'
  return {
    ...describeOffchain(null),
    valid: false,
    decodedData: null,
    decodedDataError: 'the input cannot be read',
    timestampedAt: null,
    revokedAt: null,
    expired: false,
    checks: checkNames.map((name) => ({
      name,
      ok: false,
      message: name === 'format' ? `${reason}.` : notChecked,
      ...(name === 'format' ? {} : isUnknown),
    })),
  }
}
