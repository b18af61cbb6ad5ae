import { fetchManifest } from '../../chunks/publishChunks.ts'
import { placeOf, type ChunksConfig } from '../../chunks/chunksWing.ts'
import type { Manifest } from '../../chunks/manifest.ts'
import type { ChainToReplay, ComparedSample } from '../../chunks/readChunks.ts'
import { missProbability } from '../../chunks/sampleSpans.ts'
import { openPlace, type Environment } from '../../places/openPlace.ts'
import type { Place } from '../../places/place.ts'
import { describeChain } from '@attestry/core/model/chainState.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { compareContracts } from './compareContracts.ts'

/** The published form of a chain, or the sentence that says why it has none; null if no place is named. */
export type FoundChain = ChainToReplay | { readonly missing: string } | null

/** The place of the published form of a chain; null if none is named. @throws ConfigError */
export function openPlaceOf(
  chain: Pick<ChainConfig, 'chainId' | 'from'>,
  chunks: ChunksConfig,
  environment: Environment,
): Place | null {
  const text = placeOf(chain, chunks)
  if (text === null) return null
  const option = chunks.from === null ? `The key from of chain ${chain.chainId}` : 'The option --from'
  return openPlace(text, option, environment)
}

/**
 * Finds a chain in the manifest of its place.
 * @param contracts those that are indexed.
 * @param manifests of places that were read, to which those that are read are added.
 * @throws PlaceUnavailableError, ChunksRefusedError, ConfigError
 */
export async function findPublished(
  chain: ChainConfig,
  contracts: ChainConfig['deployments'],
  chunks: ChunksConfig,
  environment: Environment,
  signal: AbortSignal,
  manifests = new Map<string, Manifest>(),
): Promise<FoundChain> {
  const { chainId, name } = chain
  const place = openPlaceOf(chain, chunks, environment)
  if (place === null) return null
  const manifest = manifests.get(place.name) ?? (await fetchManifest(place, chunks.publicKey, signal))
  manifests.set(place.name, manifest)
  const published = manifest.chains.find((each) => each.chainId === chainId)
  if (published === undefined) {
    const missing = `${describeChain(chainId, name)} is not published in ${place.name}: it is indexed from its endpoints`
    return { missing }
  }
  compareContracts({ ...chain, deployments: contracts }, published, place.name)
  return { place, published }
}

/** Says what was compared, and which lies that would miss. */
export function describeSample({ spans, compared, drawn, withheld }: ComparedSample): string {
  if (compared === 0) return 'none of its blocks was compared with the chain (chunks.sample is 0)'
  const missed = (share: number) => formatPercent(missProbability(share, drawn))
  const kept = withheld === 0 ? '' : `, of ${withheld} more the endpoints no longer keep the logs`
  const further = compared === drawn ? '' : ` and ${compared - drawn} with revocations that no event tells,`
  const checked = `${drawn} of its ${spans} spans of blocks, drawn at random,${further} are what the endpoints say${kept}`
  if (compared === spans) return `${checked}: all of them`
  return `${checked}: forged or missing records in 1 % of the spans would have escaped with a chance of ${missed(0.01)}, in 0.1 % with ${missed(0.001)}`
}

function formatPercent(share: number): string {
  const percent = 100 * share
  return `${percent >= 10 ? percent.toFixed(0) : percent >= 0.1 ? percent.toFixed(1) : 'less than 0.1'} %`
}
