import { literal, quoted, visible } from './codeText.ts'

/** The languages in which the page of the gate shows how to ask a policy. */
export const policyLanguages = [
  'curl',
  'TypeScript',
  'Fastify',
  'Express',
  'Hono',
  'MCP',
  'Solidity',
] as const

export type PolicyLanguage = (typeof policyLanguages)[number]

export interface PolicyQuestion {
  /** The name of a policy of the server, or a policy itself. */
  readonly policy: string | Readonly<Record<string, unknown>>
  /** The address to judge; a placeholder if undefined. */
  readonly address: string | undefined
  /** The signer of verdicts for contracts, with its checksum; null or undefined if the server has none. */
  readonly signer?: string | null
  /** The hash of a policy of the server; undefined for any other. */
  readonly hash?: string | undefined
}

/**
 * Code that asks whether an address passes a policy.
 * @param base of the interface, without a slash at the end.
 */
export function policyCode(question: PolicyQuestion, base: string) {
  const { policy, address = '0x…' } = question
  const rule = literal(policy)
  const client = `const attestry = createClient({ baseUrl: ${literal(base)} })`
  const create = `import { createClient } from '@attestry/client'`
  const guard = (framework: string, subject: string, route: string) =>
    `${create}\nimport { requirePolicy } from '@attestry/client/${framework}'\n\n` +
    `${client}\nconst policy = ${rule}\n` +
    `// The account that signed in: an address that the request names proves nothing.\n` +
    `const subject = ${subject}\n${route}`
  return {
    curl: curlOf(policy, address, base),
    TypeScript:
      `${create}\n\n${client}\nconst policy = ${rule}\n` +
      `const { verdict, reasons } = await attestry.gate(policy, ${literal(address)})\n` +
      `// 'allow', 'deny', or 'unknown' while the index cannot tell: treat it as a no for now.\n` +
      `console.log(verdict, reasons)`,
    Fastify: guard(
      'fastify',
      '(request) => request.session.account',
      `app.get('/members', { preHandler: requirePolicy({ client: attestry, policy, subject }) }, showMembers)`,
    ),
    Express: guard(
      'express',
      '(request) => request.session.account',
      `app.get('/members', requirePolicy({ client: attestry, policy, subject }), showMembers)`,
    ),
    Hono: guard(
      'hono',
      `(context) => context.get('account')`,
      `app.get('/members', requirePolicy({ client: attestry, policy, subject }), showMembers)`,
    ),
    MCP:
      `claude mcp add --transport http attestry ${base}/mcp\n\n` +
      `# The tool evaluate_policy takes\n${visible(JSON.stringify({ policy, subjects: [address] }))}`,
    Solidity: solidityOf(question, base),
  } satisfies Record<PolicyLanguage, string>
}

/** A contract that lets an account in by a verdict, and the request for the verdict. */
function solidityOf({ policy, address = '0x…', signer, hash }: PolicyQuestion, base: string): string {
  const name = typeof policy === 'string' ? encodeURIComponent(policy) : 'NAME'
  const unnamed =
    typeof policy === 'string'
      ? ''
      : '// Contracts take policies of the configuration: give this one a name there.\n'
  const unsigned =
    signer == null ? '// The server needs a key: server.gate.evmKey of its configuration.\n' : ''
  return `${unnamed}${unsigned}// curl ${quoted(`${base}/scan/gate/${name}/${address}?signed=eip712&verifyChainId=1&verifyingContract=0x…`)}
// answers the message and the signature that \`enter\` takes. docs/gate.md has the library.
pragma solidity ^0.8.4;

import {AttestryVerdict} from "./AttestryVerdict.sol";

contract Members {
    // Of ${base}/scan/policies.
    address constant SIGNER = ${signer ?? 'address(0)'};
    bytes32 constant POLICY = ${hash === undefined ? 'bytes32(0)' : `0x${hash}`};
    mapping(uint256 => bool) private used;

    function enter(AttestryVerdict.Verdict calldata verdict, bytes calldata signature) external {
        require(!used[verdict.nonce] && AttestryVerdict.allows(verdict, signature, SIGNER, msg.sender, POLICY));
        used[verdict.nonce] = true;
    }
}`
}

function curlOf(policy: PolicyQuestion['policy'], address: string, base: string): string {
  if (typeof policy === 'string') {
    return `curl ${quoted(`${base}/scan/gate/${encodeURIComponent(policy)}/${address}`)}`
  }
  const body = visible(JSON.stringify({ policy, subjects: [address] }))
  return `curl ${quoted(`${base}/scan/gate`)} -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
}
