import { literal, quoted, visible } from './codeText.ts'

/** The languages in which the page of the gate shows how to ask a policy. */
export const policyLanguages = ['curl', 'TypeScript', 'Fastify', 'Express', 'Hono', 'MCP'] as const

export type PolicyLanguage = (typeof policyLanguages)[number]

export interface PolicyQuestion {
  /** The name of a policy of the server, or a policy itself. */
  readonly policy: string | Readonly<Record<string, unknown>>
  /** The address to judge; a placeholder if undefined. */
  readonly address: string | undefined
}

/**
 * Code that asks whether an address passes a policy.
 * @param base of the interface, without a slash at the end.
 */
export function policyCode({ policy, address = '0x…' }: PolicyQuestion, base: string) {
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
  } satisfies Record<PolicyLanguage, string>
}

function curlOf(policy: PolicyQuestion['policy'], address: string, base: string): string {
  if (typeof policy === 'string') {
    return `curl ${quoted(`${base}/scan/gate/${encodeURIComponent(policy)}/${address}`)}`
  }
  const body = visible(JSON.stringify({ policy, subjects: [address] }))
  return `curl ${quoted(`${base}/scan/gate`)} -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
}
