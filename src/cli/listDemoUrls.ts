import { checksumAddress } from '../model/checksumAddress.ts'
import { formatCompositeId } from '../model/compositeId.ts'
import type { IndexReader } from '../store/indexReader.ts'

export interface DemoUrl {
  readonly title: string
  readonly url: string
}

/** URLs of the API to try, with ids of indexed records. */
export async function listDemoUrls(reader: IndexReader, baseUrl: string): Promise<readonly DemoUrl[]> {
  const [schema] = await reader.listTopSchemas(1)
  const { rows } = await reader.listAttestations({
    page: 1,
    size: 1,
    schema: null,
    keyword: null,
    fields: { detail: false, schema: false },
  })
  const [attestation] = rows
  const urls: [title: string, path: string][] = [['the latest attestations', '/scan/latest-attestations']]
  urls.push(['the schemas with the most attestations', '/scan/top-schemas'])
  if (schema !== undefined) {
    const id = formatCompositeId(schema.key)
    const registrant = checksumAddress(schema.registrant)
    urls.push(['one schema', `/scan/schemas/${id}`])
    urls.push(['its attestations', `/scan/attestations?schemaId=${id}&fields=detail`])
    urls.push(['who registered it', `/scan/addresses/${registrant}/statistics`])
    const [word] = schema.name.split(/\s+/)
    if (word !== undefined && word !== '')
      urls.push(['a search', `/scan/search?keyword=${encodeURIComponent(word)}`])
  }
  if (attestation !== undefined) {
    urls.push(['one attestation', `/scan/attestations/${formatCompositeId(attestation.key)}`])
  }
  urls.push(['how fresh the index is', '/readyz'])
  return urls.map(([title, path]) => ({ title, url: baseUrl + path }))
}
