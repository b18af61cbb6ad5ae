import { Type } from 'typebox'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { recordIdParameter } from '@attestry/server/pipeline/parameters/idParameters.ts'
import type { ServedWing } from '@attestry/server/wing.ts'

export function serveStamps(words: string): ServedWing {
  return {
    endpoints:
      ({ context }) =>
      (scope) => {
        addEndpoint(scope, context, {
          path: '/scan/stamps/:id',
          summary: 'The stamp of a record',
          description: 'Each record has the same.',
          parameters: { id: recordIdParameter('Composite id of the record.') },
          data: Type.Object({ stamp: Type.String() }),
          tool: { name: 'get_stamp', description: 'The stamp of a record.' },
          answer: () => Promise.resolve({ data: { stamp: words } }),
        })
      },
    includes: {
      stamp: {
        description: 'each attestation carries its stamp.',
        followsClock: false,
        present: (attestations) => Promise.resolve(attestations.map(() => ({ stamp: words }))),
      },
    },
    graphql: {
      typeDefinitions: 'extend type Query { stamp: String! } extend type Attestation { stamp: String! }',
      behaviours: { Query: { stamp: () => words }, Attestation: { stamp: () => words } },
    },
  }
}
