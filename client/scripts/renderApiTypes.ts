import openapiTypescript, { astToString } from 'openapi-typescript'
import { createServer } from '../../src/api/createServer.ts'
import { createSampleIndex } from '../../src/api/testing/sampleIndex.ts'
import { createTestJournal } from '../../src/api/testing/createTestJournal.ts'
import { openTestIndex } from '../../src/api/testing/testIndex.ts'

/** The file of the generated types, beside the client. */
export const apiTypesFile = new URL('../src/openapi.ts', import.meta.url)

/**
 * The types of the interface, from the OpenAPI document of a server with every feature on. The server does not listen.
 */
export async function renderApiTypes(): Promise<string> {
  const reader = openTestIndex(createSampleIndex())
  const journal = createTestJournal()
  const app = createServer({ reader, queries: reader, journal })
  try {
    const { body } = await app.inject('/openapi.json')
    const types = astToString(await openapiTypescript(body, { alphabetize: true }))
    return `// Generated from the OpenAPI document by \`npm run generate -w client\`; do not edit.\n\n${types}`
  } finally {
    await app.close()
    await journal.close()
  }
}
