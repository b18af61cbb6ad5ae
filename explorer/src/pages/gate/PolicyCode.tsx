import { useState } from 'react'
import type { Policies } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { Segments } from '../../components/Segments.tsx'
import { Snippet } from '../../components/Snippet.tsx'
import { policyCode, policyLanguages, type PolicyLanguage } from '../../format/policyCode.ts'
import type { GateQuestion } from './GateAnswer.tsx'

const labels: Readonly<Record<PolicyLanguage, string>> = {
  curl: 'By REST, with curl',
  TypeScript: 'With the client for TypeScript',
  Fastify: 'A route of Fastify behind this policy',
  Express: 'A route of Express behind this policy',
  Hono: 'A route of Hono behind this policy',
  MCP: 'For an agent, where the server has MCP',
  Solidity: 'A contract that takes signed verdicts',
}

/** Code that asks this very policy. */
export function PolicyCode({
  policy,
  address,
  policies: { rows, signer },
}: Pick<GateQuestion, 'policy' | 'address'> & { readonly policies: Policies }) {
  const [language, setLanguage] = useState<PolicyLanguage>('curl')
  const hash = rows.find(({ name }) => name === policy)?.policyHash
  const code = policyCode({ policy, address, signer, hash }, window.location.origin)[language]
  return (
    <Card
      title="Use it from code"
      actions={
        <Segments
          label="Language"
          choices={policyLanguages.map((value) => ({ value, label: value }))}
          value={language}
          onChange={setLanguage}
        />
      }
    >
      <Snippet label={labels[language]} code={code} />
    </Card>
  )
}
