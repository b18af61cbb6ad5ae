import type { Address, Hex } from 'viem'
import {
  encodeAddressRecipient,
  encodeRawRecipient,
  encodeTextRecipient,
} from '@attestry/demo/encodeRecipient.ts'
import type { DevTransaction } from '@attestry/demo/devChain.ts'
import type { LocalChain } from '../harness/localChain.ts'
import type { Random } from '../simulator/random.ts'

/** The records that the chain must hold now; ids count from 1. */
export interface HistoryTruth {
  readonly schemas: readonly HistorySchema[]
  readonly attestations: readonly HistoryAttestation[]
}

export interface HistorySchema {
  readonly registrant: Address
  readonly revocable: boolean
  readonly data: string
}

export interface HistoryAttestation {
  readonly schemaId: bigint
  readonly attester: Address
  readonly indexingValue: string
  /** The reason of the revocation; null while the attestation is not revoked. */
  readonly revoked: string | null
}

/** A history of Sign Protocol on a local chain. Each step is drawn from `random`. */
export interface RandomHistory {
  /** Mines one or several blocks, or reorganises. */
  step(): Promise<void>
  /** Mines empty blocks until the head exceeds the highest head so far. */
  outgrow(): Promise<void>
  truth(): HistoryTruth
  /** The depths of all reorganisations so far. */
  readonly depths: readonly number[]
}

const depthMax = 40
const attesters = [1, 2, 3, 4]

/** No reorganisation removes a block that was `finality` blocks below the highest head. */
export async function createRandomHistory(
  chain: LocalChain,
  random: Random,
  finality: number,
): Promise<RandomHistory> {
  let head = await chain.headNumber()
  let highest = head
  const floor = head
  let truth: HistoryTruth = { schemas: [], attestations: [] }
  const truthAt = new Map([[head, truth]])
  const depths: number[] = []
  let anchors = 0

  function advance(): void {
    head++
    highest = Math.max(highest, head)
    truthAt.set(head, truth)
  }

  async function mineEmpty(blocks: number): Promise<void> {
    await chain.mine(blocks)
    for (let mined = 0; mined < blocks; mined++) advance()
  }

  /** One block of up to four calls. Each call may refer to records of the calls before it. */
  async function mineCalls(): Promise<void> {
    const transactions: DevTransaction[] = []
    const calls = random.integer(1, 4)
    for (let call = 0; call < calls; call++) transactions.push(await drawCall())
    await chain.mineTogether(transactions)
    advance()
  }

  async function drawCall(): Promise<DevTransaction> {
    const kind = random.next()
    const revocable = listRevocable()
    const relayer = random.chance(0.2) ? chain.account(9).address : undefined
    if (truth.schemas.length === 0 || kind < 0.12) return register(relayer)
    if (kind < 0.4 && revocable.length > 0) return revoke(revocable, relayer)
    if (kind < 0.45) {
      return chain.build.attestOffchain(chain.account(1).address, [`anchor-${anchors++}`])
    }
    return attest(relayer)
  }

  function register(relayer: Address | undefined): Promise<DevTransaction> {
    const name = `Schema ${random.digits(3)}`
    const schema = {
      registrant: chain.account(random.pick(attesters)).address,
      revocable: random.chance(0.85),
      data: random.chance(0.8) ? JSON.stringify({ name, description: '', data: [] }) : name,
    }
    truth = { ...truth, schemas: [...truth.schemas, schema] }
    return chain.build.register(schema, relayer)
  }

  function attest(relayer: Address | undefined): Promise<DevTransaction> {
    const attester = chain.account(random.pick(attesters)).address
    const own = truth.attestations.flatMap((made, i) => (made.attester === attester ? [BigInt(i + 1)] : []))
    const made = Array.from({ length: random.pick([1, 1, 2, 5]) }, () => ({
      schemaId: BigInt(random.integer(1, truth.schemas.length)),
      attester,
      indexingValue: random.pick(['', 'a key', `key ${random.digits(2)}`]),
      recipients: Array.from({ length: random.integer(0, 2) }, drawRecipient),
      data: `0x${random.digits(random.integer(0, 40))}` as const,
      linkedAttestationId: own.length > 0 && random.chance(0.2) ? random.pick(own) : 0n,
    }))
    truth = {
      ...truth,
      attestations: [
        ...truth.attestations,
        ...made.map(({ schemaId, indexingValue }) => ({ schemaId, attester, indexingValue, revoked: null })),
      ],
    }
    const [first] = made
    if (made.length > 1 || first === undefined) return chain.build.attestBatch(made, relayer)
    return chain.build.attest(first, relayer)
  }

  function drawRecipient(): Hex {
    const { address } = chain.account(random.integer(1, 12))
    return random.pick<Hex>([
      encodeAddressRecipient(address),
      encodeTextRecipient(address),
      encodeRawRecipient(address),
      encodeTextRecipient(`did:key:z${random.integer(1, 5)}`),
      `0x${random.digits(7)}`,
    ])
  }

  function listRevocable(): bigint[] {
    return truth.attestations.flatMap(({ schemaId, revoked }, i) =>
      revoked === null && truth.schemas[Number(schemaId) - 1]?.revocable === true ? [BigInt(i + 1)] : [],
    )
  }

  function revoke(revocable: readonly bigint[], relayer: Address | undefined): Promise<DevTransaction> {
    const first = random.pick(revocable)
    const attester = attesterOf(first)
    const own = revocable.filter((id) => attesterOf(id) === attester)
    const ids = random.chance(0.3) ? own.slice(0, 3) : [first]
    const reasons = ids.map(() => random.pick(['', 'mistaken', `reason ${random.digits(2)}`]))
    truth = {
      ...truth,
      attestations: truth.attestations.map((made, i) => {
        const reason = reasons[ids.indexOf(BigInt(i + 1))]
        return reason === undefined ? made : { ...made, revoked: reason }
      }),
    }
    if (ids.length === 1) return chain.build.revoke(attester, first, reasons[0], relayer)
    return chain.build.revokeBatch(attester, ids, reasons, relayer)
  }

  function attesterOf(id: bigint): Address {
    const made = truth.attestations[Number(id) - 1]
    if (made === undefined) throw new RangeError(`there is no attestation ${id}`)
    return made.attester
  }

  async function reorganise(): Promise<void> {
    const lowest = Math.max(floor, highest - finality)
    const depth = Math.min(random.pick([1, 2, random.integer(1, depthMax)]), head - lowest)
    if (depth < 1) return
    await chain.rollback(depth)
    depths.push(depth)
    head -= depth
    truth = truthAt.get(head) ?? truth
    // Sometimes the new branch is shorter, so that the index meets a head below its checkpoint.
    const blocks = random.chance(0.7) ? depth : random.integer(1, depth)
    const empty = random.integer(0, blocks - 1)
    if (empty > 0) await mineEmpty(empty)
    for (let mined = empty; mined < Math.min(blocks, empty + 4); mined++) await mineCalls()
  }

  return {
    depths,
    truth: () => truth,
    step: async () => {
      const kind = random.next()
      if (kind < 0.2) await reorganise()
      else if (kind < 0.35) await mineEmpty(random.integer(1, 12))
      else await mineCalls()
    },
    outgrow: () => mineEmpty(highest - head + 1),
  }
}
