import { createFixedAnswer, sendFixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import {
  originOf,
  serverCard,
  serverCardPath,
  serverCardType,
} from '../../pipeline/reference/agentManifests.ts'
import type { ServedWing } from '../../wing.ts'
import { createMcpTools } from './createMcpTools.ts'
import type { McpTool } from './mcpTool.ts'

/** The Model Context Protocol at `/mcp`. */
export function serveMcp(): ServedWing {
  return {
    rootEndpoints: ({ app, context, routes, tools: further, logFailure }) => {
      let made: readonly McpTool[] | null = null
      const tools = () => (made ??= [...createMcpTools(app, routes), ...further])
      return (root) => {
        root.route({
          method: ['GET', 'HEAD'],
          url: serverCardPath,
          handler: async (request, reply) => {
            const card = Buffer.from(JSON.stringify(serverCard(originOf(request) ?? 'http://localhost')))
            const headers = {
              'content-type': serverCardType,
              vary: 'accept-encoding, host, x-forwarded-proto',
            }
            return await sendFixedAnswer(request, reply, createFixedAnswer(card, headers))
          },
        })
        root.register(async (scope) => {
          // Servers without the protocol do not load its SDK.
          const { addMcpEndpoint } = await import('./addMcpEndpoint.ts')
          addMcpEndpoint(scope, context, tools, logFailure('a tool failed'))
        })
      }
    },
  }
}
