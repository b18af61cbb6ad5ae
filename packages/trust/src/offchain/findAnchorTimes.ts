import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'

/** When a uid was first anchored on its chain, and when its signer revoked it there; Unix seconds, null for never. */
export interface AnchorTimes {
  readonly timestampedAt: number | null
  readonly revokedAt: number | null
}

interface Anchored {
  readonly chainId: ChainId
  readonly protocol: string
  readonly uid: Hash
  readonly signer: Address
}

/** Anyone may revoke any value on chain: a revocation counts where its revoker is the signer. */
export async function findAnchorTimes(
  reader: PastReader,
  { signer, ...anchored }: Anchored,
): Promise<AnchorTimes> {
  const [timestampedAt, revokedAt] = await Promise.all([
    findFirst(reader, anchored, 'Timestamped', null),
    findFirst(reader, anchored, 'RevokedOffchain', signer),
  ])
  return { timestampedAt, revokedAt }
}

/** A contract takes a value once from each account, so there are few rows: one for each contract of the chain. */
const anchorsMax = 1_000

async function findFirst(
  reader: PastReader,
  { uid, chainId, protocol }: Omit<Anchored, 'signer'>,
  kind: string,
  account: Address | null,
): Promise<number | null> {
  const filter = { value: uid, kind, account, chainId }
  const { rows } = await reader.sliceAnchors({
    filter,
    order: 'oldestFirst',
    after: null,
    limit: anchorsMax,
  })
  const first = rows.find((row) => row.protocol === protocol)
  return first?.place.timestamp ?? null
}
