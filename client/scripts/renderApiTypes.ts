import openapiTypescript, { astToString } from 'openapi-typescript'
import { createServer } from '../../src/api/createServer.ts'
import { createMemoryJournal } from '../../src/api/testing/createMemoryJournal.ts'
import { createMemoryQueries } from '../../src/api/testing/createMemoryQueries.ts'
import { createMemoryReader } from '../../src/api/testing/createMemoryReader.ts'
import { createSampleIndex } from '../../src/api/testing/sampleIndex.ts'

/** Where the types stand, beside the client that they are for. */
export const apiTypesFile = new URL('../src/openapi.ts', import.meta.url)

/** The types of the interface, from the document that a server with everything switched on answers. Nothing listens. */
export async function renderApiTypes(): Promise<string> {
  const index = createSampleIndex()
  const app = createServer({
    reader: createMemoryReader(index),
    queries: createMemoryQueries(index),
    journal: createMemoryJournal(),
  })
  try {
    const { body } = await app.inject('/openapi.json')
    const types = astToString(await openapiTypescript(body, { alphabetize: true }))
    return `// Generated from the OpenAPI document by \`npm run generate -w client\`; do not edit.\n\n${types}`
  } finally {
    await app.close()
  }
}
