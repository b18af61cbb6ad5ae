import { AttestryError } from '@attestry/core/errors/baseError.ts'
import type { InputSchema, McpTool } from '@attestry/server/interfaces/mcp/mcpTool.ts'
import { textOf } from '@attestry/server/interfaces/mcp/toolArguments.ts'

/** The values that a client trusts, to be compared with a proof. */
export interface TrustedValues {
  readonly blockHash?: string
  readonly contract?: string
}

/**
 * Checks the JSON text of a proof without asking any chain. Returns lines that say what the proof proves and what it
 * leaves open.
 * @throws AttestryError with the reason where the text is no valid proof.
 */
export type VerifyProof = (proof: string, trusted: TrustedValues) => Promise<readonly string[]>

const inputSchema: InputSchema = {
  type: 'object',
  properties: {
    proof: { type: 'string', description: 'The proof, as get_proof answers it. Sent as JSON text.' },
    blockHash: { type: 'string', description: 'The hash of the block, from a source that you trust.' },
    contract: { type: 'string', description: 'The contract that you trust.' },
  },
  required: ['proof'],
}

export function verifyProofTool(verifyProof: VerifyProof): McpTool {
  return {
    name: 'verify_proof',
    description:
      'Checks a proof of an event by its block header and receipt, and says what it proves and what it leaves open.',
    inputSchema,
    call: async ({ proof, blockHash, contract }) => {
      const trusted = {
        ...(typeof blockHash === 'string' ? { blockHash } : {}),
        ...(typeof contract === 'string' ? { contract } : {}),
      }
      try {
        const lines = await verifyProof(textOf(proof ?? null), trusted)
        return { isError: false, text: lines.join('\n') }
      } catch (error) {
        if (!(error instanceof AttestryError)) throw error
        return { isError: true, text: error.message }
      }
    },
  }
}
