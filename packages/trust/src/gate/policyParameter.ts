import { Type } from 'typebox'
import type { Parameter } from '@attestry/server/pipeline/parameters/parameter.ts'

/** The name of a policy in a path. */
export const policyParameter: Parameter<string> = {
  name: 'policy',
  in: 'path',
  schema: Type.String({ description: 'The name of a policy of this server.', examples: ['kyc'] }),
  absent: null,
  read: (text) => text,
}
