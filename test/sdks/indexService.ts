import { requireSdk, usesSdks } from './installedSdks.ts'

type Row = Readonly<Record<string, unknown>>
type List = Row & { readonly total: number; readonly rows: readonly Row[] }

/** The calls of `IndexService` of `@ethsign/sp-sdk`. */
export interface IndexService {
  querySchema(id: string): Promise<Row>
  querySchemaList(query: object): Promise<List>
  queryAttestation(id: string, options?: object): Promise<Row>
  queryAttestationList(query: object): Promise<List>
}

interface Sdk {
  readonly IndexService: new (environment: string) => IndexService
}

/**
 * The client that applications have, unmodified but for the host; in `npm test`, a client that asks as the official one
 * does, which the recording of its addresses holds.
 */
export function createIndexService(host: string): IndexService {
  if (!usesSdks) return createAskingService(host)
  const service = new (requireSdk<Sdk>('@ethsign/sp-sdk').IndexService)('testnet')
  return Object.assign(service, { host })
}

function createAskingService(host: string): IndexService {
  const ask = async (path: string, query?: object): Promise<Row> => {
    const response = await fetch(`${host}/index/${path}${query === undefined ? '' : `?${spell(query)}`}`)
    const { data, message } = (await response.json()) as { readonly data: Row; readonly message: string }
    if (response.ok) return data
    throw Object.assign(new Error(message), { status: response.status })
  }
  return {
    querySchema: (id) => ask(`schemas/${id}`),
    querySchemaList: async (query) => {
      const { size } = query as { readonly size?: number }
      const data = await ask('schemas', { ...query, size: size ?? 100 })
      return { ...data, size: Number(data['size']) } as unknown as List
    },
    queryAttestation: (id, options = {}) => ask(`attestations/${id}`, options),
    queryAttestationList: async (query) => (await ask('attestations', query)) as List,
  }
}

/** Like the client, leaves out only null and empty texts: `undefined` is sent as a text. */
function spell(query: object): string {
  return Object.entries(query)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')
}
