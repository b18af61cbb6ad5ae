import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import {
  createFixedAnswer,
  sendFixedAnswer,
  type FixedAnswer,
} from '@attestry/server/pipeline/answers/fixedAnswer.ts'

/** The name of the script, which stands beside this module, also in a package. */
const verifiedScript = 'verified.js'

/** Adds the script that shows verdicts on pages of other origins. */
export function addVerifiedScript(root: FastifyInstance): void {
  let answer: FixedAnswer | null = null
  root.route({
    method: ['GET', 'HEAD'],
    url: `/${verifiedScript}`,
    handler: (request, reply) => {
      answer ??= createFixedAnswer(readFileSync(new URL(verifiedScript, import.meta.url)), {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=600',
        'cross-origin-resource-policy': 'cross-origin',
      })
      return sendFixedAnswer(request, reply, answer)
    },
  })
}
