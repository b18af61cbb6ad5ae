import { serveVerax } from '@attestry/subgraphs/verax/serveVerax.ts'
import { deepEqual, equal } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { fillExplorerIndex } from '../explorer/fixture/fillExplorerIndex.ts'
import { sharedSchemaId, veraxAttestationId, veraxSchemaId } from '../explorer/fixture/veraxBlocks.ts'
import { projections } from '../harness/projections.ts'

/**
 * `npm run test:verax-sdk`: the SDK of Verax as it is published, with `subgraphUrl` pointed at the service, finds
 * records, lists and counts. It is installed only beside this file, since it takes 150 MB. `npm test` sends the
 * documents that the SDK writes (test/e2e/verax.test.ts).
 */

/** The part of the SDK that is used. */
interface Sdk {
  readonly VeraxSdk: {
    new (conf: object): Record<'attestation' | 'schema' | 'portal' | 'module', Finder>
    readonly DEFAULT_LINEA_MAINNET: object
  }
  readonly ChainName: Readonly<Record<string, string>>
}

interface Finder {
  findOneById(id: string): Promise<Row | undefined>
  findBy(
    first?: number,
    skip?: number,
    where?: object,
    orderBy?: string,
    orderDirection?: string,
  ): Promise<readonly Row[]>
  findTotalCount(): Promise<number>
  findByMultiChain(
    chains: readonly string[],
    first: number,
    skip: number,
    where: object,
    orderBy: string,
    orderDirection: string,
  ): Promise<readonly Row[]>
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly portal: Row }

const library = '@verax-attestation-registry/verax-sdk'
const { VeraxSdk, ChainName } = (await import(library)) as Sdk
const folder = mkdtempSync(join(tmpdir(), 'attestry-verax-sdk-'))
const path = join(folder, 'index.db')
await fillExplorerIndex(path, { attestations: 1, odd: true })
const reader = openSqliteReader(path, { projections })
const app = createServer({
  reader,
  decodePayload: decodeIndexedPayload,
  wings: [serveVerax()],
})
try {
  const subgraphUrl = `http://127.0.0.1:${await listenLocally(app)}/verax/linea/graphql`
  const linea = ChainName['LINEA_MAINNET'] ?? ''
  const sdk = new VeraxSdk({
    ...VeraxSdk.DEFAULT_LINEA_MAINNET,
    subgraphUrl,
    subgraphUrlOverrides: { [linea]: subgraphUrl },
  })
  const local = (id: string) => {
    const parsed = parseCompositeId(id)
    return parsed.kind === 'record' ? parsed.key.localId : ''
  }
  const [one, two, three] = [1, 2, 3].map((number) => local(veraxAttestationId(number))) as [
    string,
    string,
    string,
  ]
  const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

  const found = await sdk.attestation.findOneById(one)
  deepEqual(
    {
      revoked: found?.['revoked'],
      replacedBy: found?.['replacedBy'],
      decodedData: found?.['decodedData'],
      version: found?.['version'],
      encodedSubject: found?.['encodedSubject'],
    },
    {
      revoked: true,
      replacedBy: two,
      decodedData: ['true', 'someone'],
      version: 10,
      encodedSubject: found?.['subject'],
    },
  )
  equal(await sdk.attestation.findTotalCount(), 3)
  deepEqual(idsOf(await sdk.attestation.findBy()), [one, two, three])
  deepEqual(idsOf(await sdk.attestation.findBy(2, 1, { revoked: false })), [three])
  const newest = await sdk.attestation.findBy(1, 0, { schema: local(veraxSchemaId) }, 'attestedDate', 'desc')
  deepEqual(idsOf(newest), [two])
  // As `getRelatedAttestations` looks for an id, which stands at any byte of the payload.
  const related = { attestationData_contains: '0x736F6D656F6E65', schema_in: [local(veraxSchemaId)] }
  deepEqual(idsOf(await sdk.attestation.findBy(undefined, undefined, related)), [one, two])
  deepEqual(idsOf(await sdk.attestation.findBy(9, 0, { encodedSubject_starts_with: '0x6469643a' })), [
    one,
    two,
    three,
  ])
  // The same id is of a schema of EAS, too.
  deepEqual(idsOf(await sdk.attestation.findBy(10, 0, { schema_: { id: local(sharedSchemaId) } })), [three])

  // For an unknown attestation the SDK itself throws, whatever answers it.
  equal(await sdk.schema.findOneById(`0x${'f'.repeat(64)}`), null)
  equal(await sdk.schema.findTotalCount(), 2)
  const schema = await sdk.schema.findOneById(local(veraxSchemaId))
  deepEqual([schema?.['name'], schema?.['attestationCounter']], ['Human', 2])
  deepEqual(idsOf(await sdk.schema.findBy(10, 0, { name_contains_nocase: 'LIKE' })), [local(sharedSchemaId)])

  equal(await sdk.portal.findTotalCount(), 1)
  const [portal] = await sdk.portal.findBy(10, 0, { ownerName_contains_nocase: 'humans' })
  deepEqual([portal?.['name'], portal?.['attestationCounter']], ['Human Portal', 3])
  deepEqual(await sdk.portal.findOneById(portal?.id ?? ''), portal)
  deepEqual(idsOf(await sdk.attestation.findBy(10, 0, { portal: portal?.id })), [one, two, three])

  deepEqual(await sdk.portal.findBy(10, 0, { modules_contains: [local(veraxSchemaId).slice(0, 42)] }), [])
  equal(await sdk.module.findTotalCount(), 1)
  const [module] = await sdk.module.findBy(1, 0, { name_contains: 'Human' }, 'name', 'desc')
  equal(module?.['moduleAddress'], module?.id)
  deepEqual(await sdk.module.findOneById(module?.id ?? ''), module)

  const across = await sdk.attestation.findByMultiChain(
    [linea],
    2,
    0,
    { portal: portal?.id },
    'attestedDate',
    'desc',
  )
  deepEqual(idsOf(across), [three, two])
  process.stdout.write('The SDK of Verax finds, lists and counts, with its subgraphUrl alone changed.\n')
} finally {
  await app.close()
  await reader.close()
  rmSync(folder, { recursive: true, force: true })
}
