import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import feathersKoa from '@feathersjs/koa'
import knex from 'knex'

const { errorHandler, koa, rest } = feathersKoa

/** The table of numbers as Feathers makes a REST service of it, without authentication. Sends its port to its parent. */
const [connection] = process.argv.slice(2)

class Numbers extends KnexService {}

const app = koa(feathers())
app.use(errorHandler())
app.configure(rest())
app.use(
  'numbers',
  new Numbers({
    Model: knex({ client: 'pg', connection, pool: { min: 0, max: 10 } }),
    name: 'number',
    id: 'value',
    paginate: { default: 10, max: 200 },
  }),
)

const server = await app.listen(0, '127.0.0.1')
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
process.send?.(server.address().port)
process.on('disconnect', () => process.exit(0))
