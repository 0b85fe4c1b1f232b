/** A worker's question for the metrics of all workers, and the answer of the process that started them. */
interface Question {
  readonly rollkeyMetrics: number
}

export function isMetricsQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'rollkeyMetrics' in message
}

let questions = 0

/** The text of all workers' metrics, summed where that makes sense; for a worker to ask. */
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
