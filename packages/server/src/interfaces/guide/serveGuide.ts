import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { prefersPage } from '../../pipeline/answers/acceptHeader.ts'
import { createFixedAnswer, sendFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { pageHeaders } from '../../pipeline/headers.ts'
import { quoteInput } from '../../pipeline/quoteInput.ts'
import type { ServedWing } from '../../wing.ts'
import { absentPage, documentPage, guideStyle, listPage, searchPage, type GuideFrame } from './guidePage.ts'
import type { GuidePage } from './readGuide.ts'
import { searchGuide, wordsOf } from './searchGuide.ts'

const queryLengthMax = 200

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
const headers = pageHeaders(policy, "'self'")

/** The documentation as pages, with a search over headings and text. The Markdown of a page is at its path and `.md`. */
export function serveGuide(): ServedWing {
  return {
    rootEndpoints: ({ routes }) => {
      // The pages are read, and the library that renders them is loaded, at the first request.
      let read: Promise<ReadonlyMap<string, GuidePage>> | null = null
      const pages = () => (read ??= import('./readGuide.ts').then(({ readGuide }) => readGuide()))
      const frameOf = async (path: string): Promise<GuideFrame> => ({
        pages: await pages(),
        root: rootFrom(path),
        hasExplorer: routes.some((route) => route.path === '/'),
      })
      const kept = new Map<string, FixedAnswer>()
      const keep = (key: string, make: () => string, type: Readonly<Record<string, string>> = headers) => {
        const answer = kept.get(key) ?? createFixedAnswer(Buffer.from(make()), type)
        kept.set(key, answer)
        return answer
      }

      async function answerList(request: FastifyRequest, reply: FastifyReply) {
        const [path = '', query] = (request.raw.url ?? '').split('?')
        const frame = await frameOf(path)
        const asked = (new URLSearchParams(query).get('q') ?? '').trim().slice(0, queryLengthMax)
        if (asked === '')
          return await sendFixedAnswer(
            request,
            reply,
            keep(frame.root, () => listPage(frame)),
          )
        const words = wordsOf(asked)
        const page = searchPage(frame, asked, words, searchGuide(frame.pages.values(), words))
        return await sendFixedAnswer(request, reply, createFixedAnswer(Buffer.from(page), headers))
      }

      async function answerPage(request: FastifyRequest, reply: FastifyReply) {
        const [path = ''] = (request.raw.url ?? '').split('?')
        const { name = '' } = (request as FastifyRequest<{ Params: { name?: string } }>).params
        const frame = await frameOf(path)
        const page = frame.pages.get(name)
        if (page !== undefined) {
          return await sendFixedAnswer(
            request,
            reply,
            keep(frame.root + name, () => documentPage(frame, page)),
          )
        }
        const source = frame.pages.get(name.replace(/\.md$/, ''))?.source
        if (source !== undefined)
          return await sendFixedAnswer(
            request,
            reply,
            keep(name, () => source, markdown),
          )
        if (!prefersPage(request.headers.accept)) {
          throw new NotFoundError(`The guide has no page ${quoteInput(name)}; /guide lists its pages.`)
        }
        return await reply
          .code(404)
          .headers({ ...headers, 'cache-control': 'no-store' })
          .send(absentPage(frame))
      }

      return (root) => {
        const method = ['GET', 'HEAD']
        root.route({ method, url: '/guide', handler: answerList })
        root.route({ method, url: '/guide/:name', handler: answerPage })
        root.route({
          method,
          url: '/guide/guide.css',
          handler: (request, reply) =>
            sendFixedAnswer(
              request,
              reply,
              keep('style', () => guideStyle, css),
            ),
        })
      }
    },
  }
}

const css = { 'content-type': 'text/css; charset=utf-8' }
const markdown = { 'content-type': 'text/markdown; charset=utf-8' }

/** The path from a page to the root of the server. */
function rootFrom(path: string): string {
  const depth = path.split('/').length - 2
  return depth <= 0 ? './' : '../'.repeat(depth)
}
