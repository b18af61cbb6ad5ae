import { hash } from 'node:crypto'
import { createFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { pageHeaders } from '../../pipeline/headers.ts'

/** The queries of a first visit, each in its own tab. */
export const exampleQueries: readonly string[] = [
  `# The newest attestations, by page
query LatestAttestations($size: Int = 10) {
  pagedAttestations(page: 1, size: $size) {
    total
    attestations {
      id
      attester
      attestTimestamp
      recipients
      revoked
      schema {
        id
        name
      }
    }
  }
}
`,
  `# What attestations say, by cursor; put endCursor into after to go on
query DecodedAttestations($after: String) {
  attestations(filter: { revoked: false }, first: 5, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      schema {
        name
      }
      decodedData {
        name
        type
        value
      }
      decodedDataError
      linkedRecord {
        id
      }
    }
  }
}
`,
  `# Schemas, who attests under them, and when
query Schemas {
  schemas(first: 5) {
    totalCount
    nodes {
      id
      name
      fields {
        name
        type
      }
      attestationCount
      topAttesters(limit: 3) {
        address
        count
      }
      activity(days: 7) {
        date
        attestations
      }
    }
  }
}
`,
  `# How fresh the index is, and what it holds
query Freshness {
  chains {
    chainId
    name
    phase
    headBlock
    indexedBlock
    lagSeconds
    lastError
  }
  stats {
    schemaCount
    attestationCount
    revocationCount
  }
}
`,
]

/** The page at `/graphql`. */
export const graphiqlPage = createGraphiqlPage('Attestry GraphQL', exampleQueries)

/**
 * GraphiQL in one page with its scripts, styles, fonts and workers; the policy of the page allows requests only
 * to this server. The page asks the path that it was loaded from. It has nine megabytes, so it is loaded at its first
 * request.
 * @param queries each in its own tab.
 */
export function createGraphiqlPage(title: string, queries: readonly string[]): () => Promise<FixedAnswer> {
  let page: Promise<FixedAnswer> | undefined
  return () => (page ??= createPage(title, queries))
}

async function createPage(title: string, queries: readonly string[]): Promise<FixedAnswer> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = renderGraphiQL({ title, defaultTabs: queries.map((query) => ({ query })) })
  return createFixedAnswer(Buffer.from(html), {
    ...pageHeaders(policyFor(html)),
    vary: 'accept, accept-encoding',
  })
}

/**
 * The policy of the page: it runs its one inline script and the workers that this script creates, and sends requests to
 * this server. The editor sets its styles by script.
 */
function policyFor(html: string): string {
  const start = html.indexOf('<script>') + '<script>'.length
  const script = html.slice(start, html.lastIndexOf('</script>'))
  return (
    `default-src 'none'; script-src 'sha256-${hash('sha256', script, 'base64')}' blob:; worker-src blob:; ` +
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'"
  )
}
