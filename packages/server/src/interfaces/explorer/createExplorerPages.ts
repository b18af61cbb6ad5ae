import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { createFixedAnswer, sendFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import { prefersPage } from '../../pipeline/answers/acceptHeader.ts'
import { matchesEtag } from '../../pipeline/answers/matchesEtag.ts'
import { corsHeaders, pageHeaders } from '../../pipeline/headers.ts'
import { originOf } from '../../pipeline/originOf.ts'
import { countUnrouted } from '../../pipeline/limits/meterRoutes.ts'
import type { RequestMeter } from '../../pipeline/metrics/requestMeter.ts'
import type { Pages } from '../../wing.ts'
import type { Access } from '../../pipeline/access/createAccess.ts'
import {
  absentPage,
  describePage,
  type PageContext,
  pictureOf,
  privatePage,
  unavailablePage,
  type PageDescription,
} from './describePage.ts'
import type { ExplorerBuild, ExplorerSource } from './explorerSource.ts'
import { pageNames, pages, type PageName } from './pages.ts'
import { renderPage, type PreviewUrls } from './pageTemplate.ts'
import type { Pictures } from './pictures/createPictures.ts'
import { buildingPage, missingPage } from './standInPage.ts'

/** Paths below these are data for every client, and so are missing paths there. */
const dataPaths = /^\/(?:scan|badge|picture|index|api|graphql|docs|guide|metrics)(?:\/|$)/

/** The route under which the explorer's files are counted. */
const filesName = '/assets'

/** Seconds after which the explorer may be ready, while it is built. */
const buildingRetrySeconds = 2

/** The policy of the pages: they load only files of this server, and run no inline script or style. */
export const explorerPolicy =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "object-src 'none'; require-trusted-types-for 'script'"

const openHeaders = {
  // Pictures of previews have absolute URLs.
  vary: 'accept-encoding, host, x-forwarded-proto',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const headers = { ...pageHeaders(explorerPolicy), ...openHeaders, 'x-frame-options': 'DENY' }

/** The chart for frames of other sites has no button that does anything, so nobody can be tricked into a click. */
const embedHeaders = { ...pageHeaders(explorerPolicy, "'none'", '*'), ...openHeaders }

/** How long a picture may be shown without asking again: an attestation may be revoked meanwhile. */
const pictureSeconds = 60
const pictureSuffix = '.png'

/** The explorer's pages and files: one built page for every path, with a head for each path. */
export function createExplorerPages(
  source: ExplorerSource,
  context: PageContext,
  meter: RequestMeter,
  access: Access,
  pictures: Pictures,
): Pages {
  const fileMeter = meter.route(filesName)
  async function answerPage(name: PageName, request: FastifyRequest, reply: FastifyReply) {
    const state = source.state()
    if (state.kind === 'building') {
      reply.header('retry-after', buildingRetrySeconds)
      return await sendFailure(reply, 503, buildingPage)
    }
    if (state.kind === 'missing') return await sendFailure(reply, 503, missingPage)
    const { params } = request as FastifyRequest<{ Params: Record<string, string> }>
    const subject = params['id'] ?? params['address'] ?? params['hash'] ?? ''
    const protocol = protocolOf(request)
    // The head of a page shows records as `/scan` does, so it follows the same access rule; the app asks for a key.
    const description = access.mayAsk(request.raw, '/scan')
      ? await describeOrExcuse(name, subject, protocol)
      : privatePage
    const origin = originOf(request)
    const hasPicture = description !== privatePage && pictureOf(description) !== null
    const urls =
      origin === null
        ? null
        : { origin, picture: hasPicture ? origin + picturePath(name, subject, protocol) : null }
    return await sendPage(request, reply, state.build, description, name, urls)
  }

  /** Answers with the picture of a page. The picture shows records as `/scan` does, so it follows the same access rule. */
  async function answerPicture(request: FastifyRequest, reply: FastifyReply) {
    access.check(request.raw, '/scan')
    const { params } = request as FastifyRequest<{ Params: Record<string, string> }>
    const file = params['file'] ?? ''
    const text = file.endsWith(pictureSuffix) ? file.slice(0, -pictureSuffix.length) : ''
    const name = pageNames.find((each) => each === (params['page'] ?? text))
    const isWhole = name !== undefined && pages[name].path.includes(':') === (params['page'] !== undefined)
    const page = isWhole
      ? await describePage(context, name, params['page'] === undefined ? '' : text, protocolOf(request))
      : absentPage
    const picture = pictureOf(page)
    if (picture === null) throw new NotFoundError(`There is no picture here. ${page.description}`)
    const etag = `"${pictures.nameOf(picture)}"`
    reply.headers({
      ...corsHeaders,
      'content-type': 'image/png',
      'cache-control': `${context.sharing}, max-age=${pictureSeconds}`,
      etag,
    })
    if (matchesEtag(request.headers['if-none-match'], etag)) return await reply.code(304).send()
    return await reply.send(await pictures.draw(picture))
  }

  /** Without the index the page is still served; the app reports the failure and retries. */
  async function describeOrExcuse(
    name: PageName,
    subject: string,
    protocol: string | null,
  ): Promise<PageDescription> {
    try {
      return await describePage(context, name, subject, protocol)
    } catch (error) {
      if (error instanceof StoreUnavailableError) return unavailablePage
      throw error
    }
  }

  return {
    addRoutes: (app) => {
      for (const name of pageNames) {
        const url = pages[name].path
        app.route({
          method: ['GET', 'HEAD'],
          url,
          handler: (request, reply) => answerPage(name, request, reply),
        })
      }
      for (const url of ['/picture/:file', '/picture/:page/:file']) {
        app.route({ method: ['GET', 'HEAD'], url, handler: answerPicture })
      }
    },
    answerUnrouted: (request, reply) => {
      const state = source.state()
      if (state.kind !== 'ready' || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      const path = (request.raw.url ?? '').replace(/[?#].*$/s, '')
      const file = state.build.files.get(path)
      if (file !== undefined) {
        void sendFixedAnswer(request, reply, file).then(() => fileMeter.counted(reply.statusCode))
        return true
      }
      if (dataPaths.test(path) || !prefersPage(request.headers.accept)) return false
      void sendPage(request, reply, state.build, absentPage)
      countUnrouted(meter, absentPage.statusCode)
      return true
    },
  }
}

/** The protocol that the address of a page names. */
function protocolOf({ raw }: FastifyRequest): string | null {
  return new URLSearchParams((raw.url ?? '').split('?')[1]).get('protocol') || null
}

function picturePath(name: PageName, subject: string, protocol: string | null): string {
  const query = protocol === null ? '' : `?protocol=${encodeURIComponent(protocol)}`
  return `/picture/${name}${subject === '' ? '' : `/${encodeURIComponent(subject)}`}${pictureSuffix}${query}`
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { template, parts }: ExplorerBuild,
  description: PageDescription,
  name?: PageName,
  urls?: PreviewUrls | null,
): Promise<FastifyReply> {
  const elements = name === undefined ? '' : (parts.get(name) ?? '')
  const page = createFixedAnswer(
    Buffer.from(renderPage(template, description, elements, urls)),
    name === 'embed' ? embedHeaders : headers,
  )
  if (description.statusCode === 200) return await sendFixedAnswer(request, reply, page)
  return await sendFailure(reply, description.statusCode, page)
}

/** A page that reports a failure must not be cached, and no client can have a copy. */
async function sendFailure(
  reply: FastifyReply,
  statusCode: number,
  page: FixedAnswer,
): Promise<FastifyReply> {
  const content = await page.forms.get('identity')
  return await reply
    .code(statusCode)
    .headers({ ...page.headers, 'cache-control': 'no-store' })
    .send(content)
}
