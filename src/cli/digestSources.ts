import { Check } from 'typebox/schema'
import { digestPayload, presentDigestedEvent } from '../api/rest/addDigestEndpoint.ts'
import { parseEndpointUrl } from '../chain/parseEndpointUrl.ts'
import { ConfigError } from '../errors/configErrors.ts'
import { parseAddress } from '../model/hex.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { DigestSource, NoDigest, ToldDigest } from '../verify/compareDigests.ts'

/** The digests of the index that a reader reads. */
export function openOwnDigests(reader: Pick<IndexReader, 'findDigest'>): DigestSource {
  return {
    findDigest: async (chainId, block) => {
      const found = await reader.findDigest(chainId, block)
      if (found === null) return none('the chain is not indexed here')
      const digest = found.asked ?? (block === null ? found.newest : null)
      if (digest === null) return none(`block ${block} was taken back here meanwhile`)
      const { contracts, events } = found
      return { kind: 'told', digest, contracts, events: events.map(presentDigestedEvent) }
    },
  }
}

/** Longest wait for one answer of the other service. */
const answerMaxMs = 30_000

/**
 * The digests of the service at `url`, by its REST endpoint. A service that cannot be asked is a reason, which names
 * neither the URL's credentials nor its query.
 * @throws ConfigError for a text that is no HTTP URL.
 */
export function openOtherDigests(url: string): DigestSource {
  const base = parseServiceUrl(url)
  const { host: place, authorization } = parseEndpointUrl(base.href)
  const headers: Record<string, string> = authorization === null ? {} : { authorization }
  base.username = ''
  base.password = ''
  return {
    findDigest: async (chainId, block, signal) => {
      const path = `scan/chains/${chainId}/digest?include=events${block === null ? '' : `&block=${block}`}`
      let answer: { readonly status: number; readonly body: unknown }
      try {
        const response = await fetch(new URL(path, base), {
          headers,
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerMaxMs)]),
        })
        answer = { status: response.status, body: await response.json() }
      } catch {
        signal.throwIfAborted()
        return none(`${place} does not answer, or not with JSON`)
      }
      return readAnswer(place, answer)
    },
  }
}

function parseServiceUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      'The option --against must be the URL of a service, such as https://attestry.example',
    )
  }
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

function readAnswer(
  place: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): ToldDigest | NoDigest {
  const { data, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (status !== 200) return none(`${place} answers ${status}: ${String(message).slice(0, 200)}`)
  if (!Check(digestPayload, data)) return none(`${place} answers something other than a digest`)
  const { digest, contracts, events } = data as Omit<ToldDigest, 'kind'>
  return {
    kind: 'told',
    digest,
    contracts: contracts.map((contract) => ({
      ...contract,
      address: parseAddress(contract.address) ?? contract.address,
    })),
    events,
  }
}

function none(reason: string): NoDigest {
  return { kind: 'none', reason }
}
