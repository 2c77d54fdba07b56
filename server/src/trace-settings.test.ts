import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const traces = (env: Record<string, string>) => readConfig(env, { demo: true }).traces
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/' }

test('traces are sent only if a receiver is set', () => {
  assert.equal(traces({ OTEL_SERVICE_NAME: 'x' }), null)
  assert.equal(traces({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), null)
  const { url, service_name, sampler, batch } = traces(endpoint) ?? assert.fail()
  assert.deepEqual([url, service_name], ['http://collector.example:4318/v1/traces', 'demarc'])
  assert.deepEqual(sampler, { name: 'parentbased_always_on', ratio: 1 })
  assert.deepEqual(batch, { delay_ms: 5_000, timeout_ms: 30_000, queue: 2_048, size: 512 })
})

test('the variables of OpenTelemetry are read as its specification says', () => {
  const read = traces({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3D%3D, x-tenant = b',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=port-desk,deployment.environment=test',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  })
  assert.deepEqual(read?.headers, { authorization: 'Bearer a==', 'x-tenant': 'b' })
  assert.deepEqual([read?.service_name, read?.resource], ['port-desk', { 'deployment.environment': 'test' }])
  assert.deepEqual(read?.sampler, { name: 'parentbased_traceidratio', ratio: 0.25 })
  assert.equal(read?.batch.size, 100, 'a batch is no larger than the queue')
})

test('invalid headers are refused without showing them', () => {
  for (const headers of ['authorization=hunter2,broken', 'a=%zz hunter2', 'a=%ff hunter2'])
    assert.throws(
      () => traces({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers }),
      (error) =>
        error instanceof ConfigError &&
        /OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs/.test(error.message) &&
        !/hunter2/.test(error.message),
      headers,
    )
})
