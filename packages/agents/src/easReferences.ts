import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  formatCompositeId,
  localIdOfUid,
  parseChainId,
  type ChainId,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, type Address } from '@attestry/core/model/hex.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import { recipientsOf } from '@attestry/core/model/recordJson.ts'
import type { StoredAgent } from './projection/agentQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { readDeployments } from './agentDirectory.ts'
import type { Feedback } from './decodeFeedback.ts'
import { didsOfAgent } from '@attestry/core/model/didAddress.ts'

/** The attestation of EAS that feedback points to, as answers show it. */
export interface EasReference {
  /** Empty if `tag2` is no reference. */
  readonly id: string
  readonly status: 'valid' | 'revoked' | 'expired' | 'unknown'
  /** The mismatch in words; empty without one. */
  readonly mismatch: string
}

interface ParsedReference {
  readonly key: RecordKey
  readonly contract: Address | null
}

/** Reads `<uid>[:<chainId>[:<contract>]]`, the form of `tag2` beside the tag `eas`; null for any other text. */
export function parseEasReference(tag2: string, chainId: ChainId): ParsedReference | null {
  const [uid, chain, contract, ...rest] = tag2.split(':')
  const hash = parseHash(uid ?? '')
  const named = chain === undefined ? chainId : parseChainId(chain)
  const address = contract === undefined ? null : parseAddress(contract)
  if (hash === null || named === null || rest.length > 0) return null
  if (contract !== undefined && address === null) return null
  return { key: { chainId: named, protocol: 'eas', localId: localIdOfUid(hash) }, contract: address }
}

/** For each feedback the record that it points to; null if its first tag is not `eas`. */
export async function readEasReferences(
  reader: PastReader,
  agent: StoredAgent,
  feedback: readonly Feedback[],
  nowSeconds: () => number,
): Promise<readonly (EasReference | null)[]> {
  const parsed = feedback.map(({ tag1, tag2 }) =>
    tag1 === 'eas' ? parseEasReference(tag2, agent.key.chainId) : null,
  )
  const keys = parsed.flatMap((reference) => reference?.key ?? [])
  if (keys.length === 0) return feedback.map(({ tag1 }) => (tag1 === 'eas' ? malformed : null))
  const found = await reader.findAttestations(keys, { detail: true, schema: false })
  const contracts = await readDeployments(reader, 'eas')
  const allowed = subjectsOf(agent)
  let next = 0
  return parsed.map((reference, index) => {
    if (reference === null) return feedback[index]?.tag1 === 'eas' ? malformed : null
    const record = found[next++] ?? null
    return describeReference(reference, record, { contracts, allowed, nowSeconds: nowSeconds() })
  })
}

const malformed: EasReference = {
  id: '',
  status: 'unknown',
  mismatch: 'tag2 is not the uid of an attestation, alone or with a chain and a contract.',
}

interface Known {
  readonly contracts: ReadonlyMap<ChainId, Pick<IndexedContract, 'address'>>
  readonly allowed: ReadonlySet<string>
  readonly nowSeconds: number
}

function describeReference(
  { key, contract }: ParsedReference,
  record: StoredAttestation | null,
  { contracts, allowed, nowSeconds }: Known,
): EasReference {
  const id = formatCompositeId(key)
  const indexed = contracts.get(key.chainId)?.address
  if (record === null) {
    const where = indexed === undefined ? `EAS is not indexed on chain ${key.chainId}.` : ''
    return { id, status: 'unknown', mismatch: where || 'No such attestation is indexed here.' }
  }
  const mismatches: string[] = []
  if (contract !== null && contract !== indexed) {
    mismatches.push(
      `tag2 names the contract ${checksumAddress(contract)}; the indexed record is of another one.`,
    )
  }
  const recipients = recipientsOf(record)
  if (!recipients.some((recipient) => allowed.has(recipient.toLowerCase()))) {
    const named = recipients.length === 0 ? 'nobody' : recipients.join(', ')
    mismatches.push(
      `The attestation is for ${named}, which is neither the owner, nor the wallet, nor a did:web of the agent.`,
    )
  }
  return { id, status: statusOf(record, nowSeconds), mismatch: mismatches.join(' ') }
}

function statusOf({ revocation, detail }: StoredAttestation, nowSeconds: number): EasReference['status'] {
  if (revocation !== null) return 'revoked'
  const validUntil = BigInt(detail?.validUntil ?? '0')
  return validUntil !== 0n && validUntil <= BigInt(nowSeconds) ? 'expired' : 'valid'
}

/** The addresses, in lower case, under which an attestation is about the agent. */
function subjectsOf(agent: StoredAgent): ReadonlySet<string> {
  const addresses = [agent.owner, agent.wallet, ...didsOfAgent(agent).map(({ address }) => address)]
  return new Set(addresses.filter((address) => address !== null))
}
