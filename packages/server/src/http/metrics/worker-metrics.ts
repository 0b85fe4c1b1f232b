/** A worker's request for the metrics of all workers. The process that started the workers answers it. */
interface MetricsRequest {
  readonly rollkeyMetrics: number
}

export function isMetricsRequest(message: unknown): message is MetricsRequest {
  return typeof message === 'object' && message !== null && 'rollkeyMetrics' in message
}

let lastRequest = 0

/** Requests the metrics of all workers, as text, summed where that makes sense. Only a worker calls this. */
export function metricsOfAllWorkers(): Promise<string> {
  const rollkeyMetrics = ++lastRequest
  return new Promise((resolve) => {
    process.on('message', function onMessage(message: unknown) {
      if (!isMetricsRequest(message) || message.rollkeyMetrics !== rollkeyMetrics) return
      process.off('message', onMessage)
      resolve((message as MetricsRequest & { text: string }).text)
    })
    process.send?.({ rollkeyMetrics })
  })
}
