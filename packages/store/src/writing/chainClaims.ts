import { StoreClaimLostError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Tables } from '../port/tables.ts'
import { hooksClaim } from './writeHooks.ts'

type ClaimTables = Pick<Tables, 'run' | 'get'>

/**
 * The claims of one writer session. A claim is a random token in the row of the chain in `chain_claim`. Invariants:
 * 1. Every transaction in the name of a claim begins with `use`, which finds the token in the row and keeps the row
 *    locked until the transaction ends. Two sessions that both take a chain for theirs are serialised by the row, and
 *    only the one that wrote its token last writes to the chain.
 * 2. A claim that was lost or given up is taken again only by `take`, never by a write.
 */
export interface ChainClaims {
  has(chainId: ChainId): boolean
  /** @throws StoreUnavailableError, StoreClaimLostError: if the claim was lost or given up, and not taken since. */
  assertNotLost(chainId: ChainId): void
  /**
   * Whether the session may take the claim. It stands by while the session that took the claim from it writes to the
   * chain. Otherwise the two would keep taking the chain from each other, since each claims at once elsewhere.
   */
  mayTake(tables: ClaimTables, chainId: ChainId): Promise<boolean>
  /** Writes a new token. `commit` runs the work in a transaction of its own. */
  take(chainId: ChainId, commit: Commit): Promise<void>
  /** @throws StoreClaimLostError if another session has taken the claim. */
  use(tables: ClaimTables, chainId: ChainId): Promise<void>
  /** Deletes the tokens of all chains, or of one, so that sessions that stand by need not wait. */
  giveUp(tables: ClaimTables, chainId?: ChainId): Promise<void>
  /** Gives up every claim without a word to the database, which cannot be reached. */
  loseAll(): void
}

type Commit = (work: (tables: ClaimTables) => Promise<unknown>) => Promise<unknown>

type Claim =
  | { readonly kind: 'held'; readonly token: string }
  /** Lost with the connection to the database. */
  | { readonly kind: 'lost' }
  /** Given up: what was under way in its name is not to take the chain again. */
  | { readonly kind: 'given' }
  /** Taken by another session, whose row was as `seen` at each of the last `looks`. */
  | { readonly kind: 'taken'; readonly seen: string | null; readonly looks: number }

/**
 * Looks at an unchanged row after which its session is taken for gone. An indexer looks once a second, and saves the
 * status of its chain each second.
 */
const looksMax = 30

/** `place`: the database, as messages name it. */
export function createChainClaims(place: string): ChainClaims {
  const claims = new Map<ChainId, Claim>()

  function assertNotLost(chainId: ChainId): void {
    const facts = { chainId, database: place }
    const kind = claims.get(chainId)?.kind
    if (kind === 'lost') {
      throw new StoreUnavailableError(
        `the claim on ${nameOf(chainId)} was lost with the connection to ${place}`,
        {
          facts,
          retryable: true,
        },
      )
    }
    if (kind === 'given') {
      throw new StoreUnavailableError(`the claim on ${nameOf(chainId)} was given up`, {
        facts,
        retryable: true,
      })
    }
    if (kind === 'taken') {
      throw new StoreClaimLostError(
        `another process has taken the claim on ${nameOf(chainId)} in ${place}, and this one writes nothing more in its name`,
        { facts, retryable: true },
      )
    }
  }

  async function use(tables: ClaimTables, chainId: ChainId): Promise<void> {
    assertNotLost(chainId)
    const claim = claims.get(chainId)
    if (claim?.kind !== 'held') throw new Error(`${nameOf(chainId)} is not claimed`)
    const found = await tables.run(
      'UPDATE chain_claim SET used = used + 1 WHERE chain_id = ? AND token = ?',
      chainId,
      claim.token,
    )
    if (found === 1) return
    claims.set(chainId, { kind: 'taken', seen: null, looks: 0 })
    assertNotLost(chainId)
  }

  return {
    has: (chainId) => claims.get(chainId)?.kind === 'held',
    assertNotLost,
    mayTake: async (tables, chainId) => {
      const claim = claims.get(chainId)
      if (claim?.kind !== 'taken') return true
      const row = await tables.get<[string, number]>(
        'SELECT token, used FROM chain_claim WHERE chain_id = ?',
        chainId,
      )
      if (row === undefined) return true
      const seen = row.join(' ')
      const looks = seen === claim.seen ? claim.looks + 1 : 1
      claims.set(chainId, { kind: 'taken', seen, looks })
      return looks > looksMax
    },
    take: async (chainId, commit) => {
      const token = crypto.randomUUID()
      await commit((tables) =>
        tables.run(
          'INSERT INTO chain_claim (chain_id, token, used) VALUES (?, ?, 0) ' +
            'ON CONFLICT (chain_id) DO UPDATE SET token = excluded.token, used = 0',
          chainId,
          token,
        ),
      )
      claims.set(chainId, { kind: 'held', token })
    },
    use,
    giveUp: async (tables, only) => {
      for (const [chainId, claim] of claims) {
        if (claim.kind !== 'held' || (only !== undefined && only !== chainId)) continue
        claims.set(chainId, { kind: 'given' })
        await tables.run('DELETE FROM chain_claim WHERE chain_id = ? AND token = ?', chainId, claim.token)
      }
    },
    loseAll: () => {
      for (const [chainId, { kind }] of claims) if (kind === 'held') claims.set(chainId, { kind: 'lost' })
    },
  }
}

/** Takes the claims of all sessions away: none of their writes follows, until they have claimed their chains anew. */
export async function revokeClaims(tables: ClaimTables): Promise<void> {
  await tables.run('DELETE FROM chain_claim')
}

function nameOf(chainId: ChainId): string {
  return chainId === hooksClaim ? 'the hooks' : `chain ${chainId}`
}
