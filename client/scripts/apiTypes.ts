import { createHash } from 'node:crypto'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { createTestJournal } from '@attestry/server/pipeline/testing/createTestJournal.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'

/** The file of the generated types, beside the client. */
export const apiTypesFile = new URL('../src/openapi.ts', import.meta.url)

/** The OpenAPI document of a server with every feature on. The server does not listen. */
export async function readApiDocument(): Promise<string> {
  const reader = openTestIndex(createSampleIndex())
  const journal = createTestJournal()
  const app = createServer({ reader, journal })
  try {
    return (await app.inject('/openapi.json')).body
  } finally {
    await app.close()
    await journal.close()
  }
}

/**
 * The content of the file: `types` behind a header with the hashes of the document and of the types. By these
 * `npm test` sees a stale or an edited file without the generator, which takes 40 MB.
 */
export function stampApiTypes(document: string, types: string): string {
  return (
    '// Generated from the OpenAPI document by `npm run generate -w client`; do not edit.\n' +
    // A release changes no type.
    `// SHA-256 of the document: ${sha256(document.replace(/"version":"[^"]*",/, ''))}\n` +
    `// SHA-256 of the types:    ${sha256(types)}\n\n${types}`
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
