/** A worker's request for the metrics of all workers. The process that started the workers answers it. */
interface Question {
  readonly rollkeyMetrics: number
}

export function isMetricsQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'rollkeyMetrics' in message
}

let questions = 0

/** Requests the metrics of all workers, as text, summed where that makes sense. Only a worker calls this. */
export function metricsOfAllWorkers(): Promise<string> {
  const rollkeyMetrics = ++questions
  return new Promise((resolve) => {
    process.on('message', function hear(message: unknown) {
      if (!isMetricsQuestion(message) || message.rollkeyMetrics !== rollkeyMetrics) return
      process.off('message', hear)
      resolve((message as Question & { text: string }).text)
    })
    process.send?.({ rollkeyMetrics })
  })
}
