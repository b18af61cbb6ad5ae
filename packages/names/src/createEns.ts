import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import { currentTimeMs, unixMilliseconds, type UnixMilliseconds } from '@attestry/core/model/time.ts'

/** Names of the Ethereum Name Service, by one endpoint of Ethereum. Nothing of it throws. */
export interface Ens {
  /** The name of an address as it was read last; null without one. The address is asked for unless the name is fresh. */
  known(address: Address): string | null
  /** The names of addresses, within `patienceMs`. */
  findNames(addresses: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** The address of a name, within `patienceMs`; null for a text that is not a name. */
  resolve(name: string): Promise<Address | null>
}

export interface EnsOptions {
  /** The URL of the endpoint; may hold a key. */
  readonly rpc: string
  /** Called with a sentence when the endpoint fails after it answered. */
  readonly onFailure: (message: string) => void
  readonly now?: () => UnixMilliseconds
  /** How long an answer that asks for a name waits. */
  readonly patienceMs?: number
}

/** How long names, and their absence, are believed. */
const freshMs = 3_600_000
/** An endpoint that does not answer is asked nothing for so long. */
const restMs = 60_000
const patienceDefaultMs = 1_500
const requestTimeoutMs = 5_000
const keptMax = 20_000
/** How long a name counts for nothing whose resolver answered no question. */
const unresolvedMs = 60_000
/** Characters of a name. A resolver may give megabytes, which would take seconds to compare with their normal form. */
const nameLengthMax = 255
/** Questions at once, of all clients; answers ask for further names again. */
const underWayMax = 48

interface Kept<Value> {
  readonly value: Value | null
  readonly readAt: UnixMilliseconds
}

/** Loads the library. It is large, and loading it later would block a server that already answers. */
export async function createEns({
  rpc,
  onFailure,
  now = currentTimeMs,
  patienceMs = patienceDefaultMs,
}: EnsOptions): Promise<Ens> {
  const names = createRecentMap<Address, Kept<string>>(keptMax)
  const addresses = createRecentMap<string, Kept<Address>>(keptMax)
  const underWay = new Map<string, Promise<unknown>>()
  let restsUntil = 0
  const places = createFairShares({
    total: underWayMax,
    windowMs: null,
    refusal: 'Too many names are asked for.',
  })
  const registry = await openRegistry(rpc)

  /** The last answer to a question. Asks again if that answer is not fresh. */
  function lookUp<Key extends string, Value>(
    kept: ReturnType<typeof createRecentMap<Key, Kept<Value>>>,
    key: Key,
    ask: (registry: EnsRegistry) => Promise<Value | null>,
  ): { readonly last: Value | null; readonly next: Promise<unknown> | null } {
    const found = kept.get(key)
    const last = found?.value ?? null
    if (found !== undefined && now() - found.readAt < freshMs) return { last, next: null }
    const asked = underWay.get(key)
    const leave = asked !== undefined || now() < restsUntil ? null : enter()
    if (leave === null) return { last, next: asked ?? null }
    const next = answer().finally(leave)
    underWay.set(key, next)
    return { last, next }

    async function answer(): Promise<void> {
      try {
        kept.set(key, { value: await ask(registry), readAt: now() })
      } catch {
        // The owner of a name controls its resolver. Only a query of our own shows whether the endpoint answers.
        if (await registry.isAlive()) {
          kept.set(key, { value: last, readAt: unixMilliseconds(now() - freshMs + unresolvedMs) })
          return
        }
        if (now() >= restsUntil) onFailure(`The endpoint of ENS at ${new URL(rpc).host} does not answer.`)
        restsUntil = now() + restMs
      } finally {
        underWay.delete(key)
      }
    }
  }

  /** Takes a place; null if the current client already has its share. */
  function enter(): (() => void) | null {
    try {
      return places.take()
    } catch (error) {
      if (error instanceof OverloadedError) return null
      throw error
    }
  }

  const lookUpName = (address: Address) =>
    lookUp(names, address, async (asked) => {
      const name = await asked.nameOf(address)
      // Anybody may claim a name: the name counts if it is written as ENS writes it and leads back to the address.
      if (name === null || name.length > nameLengthMax || asked.normalize(name) !== name) return null
      return parseAddress((await asked.addressOf(name)) ?? '') === address ? name : null
    })

  return {
    known: (address) => lookUpName(address).last,
    async findNames(asked) {
      await settleWithin(
        patienceMs,
        asked.map((address) => lookUpName(address).next),
      )
      const found = asked.map((address) => [address, names.get(address)?.value ?? null] as const)
      return new Map(found.filter((each): each is [Address, string] => each[1] !== null))
    },
    async resolve(name) {
      if (!/^[^\s.]+(\.[^\s.]+)+$/u.test(name) || name.length > nameLengthMax) return null
      await settleWithin(patienceMs, [
        lookUp(addresses, name, async (asked) => {
          const normal = asked.normalize(name)
          return normal === null ? null : parseAddress((await asked.addressOf(normal)) ?? '')
        }).next,
      ])
      return addresses.get(name)?.value ?? null
    },
  }
}

async function settleWithin(
  patienceMs: number,
  questions: readonly (Promise<unknown> | null)[],
): Promise<void> {
  const asked = questions.filter((question) => question !== null)
  if (asked.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([Promise.all(asked), patience])
  clearTimeout(timer)
}

/** A proxy that stays at this address of Ethereum (docs.ens.domains, "Universal Resolver"). */
const universalResolverAddress = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe'

/** The questions to ENS; null: there is no name or address. They reject where the endpoint fails. */
interface EnsRegistry {
  /** The normalized form of an ENS name; null for a text that cannot be one. */
  normalize(name: string): string | null
  nameOf(address: Address): Promise<string | null>
  addressOf(normalName: string): Promise<string | null>
  /** Whether the endpoint answers a query that no owner of a name can influence. */
  isAlive(): Promise<boolean>
}

/** Servers without ENS do not load the library, which is large. */
async function openRegistry(rpc: string): Promise<EnsRegistry> {
  const { createClient, http, BaseError, ContractFunctionRevertedError } = await import('viem')
  const { getEnsAddress, getEnsName, normalize } = await import('viem/ens')
  const transport = http(rpc, { timeout: requestTimeoutMs, retryCount: 0 })
  // A resolver may name URLs to fetch (ERC-3668), so the owner of a name would choose what this server fetches.
  const client = createClient({ transport, ccipRead: false })
  const orNull = async <Value>(question: Promise<Value | null>): Promise<Value | null> => {
    try {
      return await question
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      if (error.walk((cause) => cause instanceof ContractFunctionRevertedError) === null) throw error
      return null
    }
  }
  return {
    normalize: (name) => {
      try {
        return normalize(name)
      } catch {
        return null
      }
    },
    nameOf: (address) => orNull(getEnsName(client, { address, universalResolverAddress })),
    addressOf: (name) => orNull(getEnsAddress(client, { name, universalResolverAddress })),
    isAlive: () =>
      client.request({ method: 'eth_chainId' }).then(
        () => true,
        () => false,
      ),
  }
}
