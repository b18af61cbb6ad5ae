import { Hono } from 'hono'
import { count, desc, eq, graphql, replaceBigInts } from 'ponder'
import { db } from 'ponder:api'
import schema, { attestation } from 'ponder:schema'

const app = new Hono()
app.use('/graphql', graphql({ db, schema }))

const newest = () => db.select().from(attestation).orderBy(desc(attestation.position)).limit(10)
const answer = (value: object) => replaceBigInts(value, String)

app.get('/attestations/:id', async (c) => {
  const id = c.req.param('id') as `0x${string}`
  return c.json(answer(await db.select().from(attestation).where(eq(attestation.id, id))))
})
app.get('/newest', async (c) => c.json(answer(await newest())))
app.get('/newest-with-total', async (c) => {
  const [rows, total] = await Promise.all([newest(), db.select({ total: count() }).from(attestation)])
  return c.json(answer({ rows, total }))
})
app.get('/recipients/:address', async (c) => {
  const address = c.req.param('address') as `0x${string}`
  const rows = await db
    .select()
    .from(attestation)
    .where(eq(attestation.recipient, address))
    .orderBy(desc(attestation.position))
    .limit(10)
  return c.json(answer(rows))
})

export default app
