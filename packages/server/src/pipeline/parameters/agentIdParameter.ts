import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { parseAgentId, type ParsedAgentId } from '@attestry/core/model/agents.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

const exampleAgent = 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432/22'

/** The agent of ERC-8004 that a path names. */
export const agentIdParameter: Parameter<ParsedAgentId> = {
  name: 'id',
  in: 'path',
  schema: Type.String({
    description: 'Id of the agent, percent-encoded; `<chainId>:<agentId>` is short for it.',
    examples: [exampleAgent, '8453:22'],
  }),
  absent: null,
  read: (text) => {
    const id = parseAgentId(text)
    if (id !== null) return id
    throw new BadParameterError(
      `id must be the id of an agent such as ${exampleAgent} or 8453:22; it was ${quoteInput(text)}.`,
    )
  },
}
