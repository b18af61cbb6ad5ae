import { Check } from 'typebox/schema'
import { digestPayload, presentDigestedEvent } from '@attestry/server/interfaces/rest/addDigestEndpoint.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { DigestSource, NoDigest, ToldDigest } from '../compareDigests.ts'
import {
  openService,
  readEnvelope,
  type OtherService,
  type ServiceAnswer,
} from '@attestry/host/askService.ts'

/** The digests of the index that a reader reads. */
export function openOwnDigests(reader: Pick<IndexReader, 'findDigest'>): DigestSource {
  return {
    findDigest: async (chainId, block) => {
      const found = await reader.findDigest(chainId, block)
      if (found === null) return none('the chain is not indexed here')
      const digest = found.asked ?? (block === null ? found.newest : null)
      if (digest === null) return none(`block ${block} was reverted here meanwhile`)
      const { contracts, events } = found
      return { kind: 'told', digest, contracts, events: events.map(presentDigestedEvent) }
    },
  }
}

/**
 * The digests of the service at `url`, by its REST endpoint. A service that cannot be asked is a reason, which names
 * neither the URL's credentials nor its query.
 * @throws ConfigError for a text that is not an HTTP URL.
 */
export function openOtherDigests(url: string): DigestSource & Pick<OtherService, 'place'> {
  const service = openService('--against', url)
  return {
    place: service.place,
    findDigest: async (chainId, block, signal) => {
      const path = `scan/chains/${chainId}/digest?include=events${block === null ? '' : `&block=${block}`}`
      const answer = await service.ask(path, signal)
      if (answer.status === null) return none(`${service.place} ${answer.reason}`)
      return readAnswer(service.place, answer)
    },
  }
}

function readAnswer(place: string, answer: ServiceAnswer): ToldDigest | NoDigest {
  const { data, message } = readEnvelope(answer)
  if (answer.status !== 200) return none(`${place} answers ${answer.status}: ${message}`)
  if (!Check(digestPayload, data)) return none(`${place} answers something other than a digest`)
  const { digest, contracts, events } = data as unknown as Omit<ToldDigest, 'kind'>
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
