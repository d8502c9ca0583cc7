// Command winners reads settled rounds from pitstream's topic settlements.v1 and prints who won.
//
//	go generate && go run . -brokers 127.0.0.1:9092 -to-end
package main

//go:generate buf generate ../../proto

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/proto"

	envelopev1 "example.com/winners/gen/pitstream/envelope/v1"
	settlementsv1 "example.com/winners/gen/pitstream/settlements/v1"
)

const topic = "settlements.v1"

// Winner is a seat that left a round with more than it staked. Net is in minor units, as text: JSON readers that keep
// numbers as floats would lose digits beyond 2^53.
type Winner struct {
	Table    string `json:"table"`
	RoundNo  uint64 `json:"round_no"`
	Seat     uint32 `json:"seat"`
	Player   string `json:"player"`
	Net      string `json:"net"`
	Currency string `json:"currency"`
	// Shares of meters that the seat claims; the progressive service says in progressives.v1 what they came to.
	Shares []string `json:"shares,omitempty"`
}

func main() {
	brokers := flag.String("brokers", "127.0.0.1:9092", "addresses of the Kafka brokers, separated by commas")
	toEnd := flag.Bool("to-end", false, "stop at what was the end of the topic at the start, instead of waiting for more")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Split(*brokers, ","), *toEnd); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, brokers []string, toEnd bool) error {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	left := kadm.ListedOffsets{}
	if toEnd {
		if left, err = kadm.NewClient(client).ListEndOffsets(ctx, topic); err != nil {
			return fmt.Errorf("the end of %s: %w", topic, err)
		}
		for partition, end := range left[topic] {
			if end.Offset == 0 {
				delete(left[topic], partition)
			}
		}
	}
	out := json.NewEncoder(os.Stdout)
	seen := map[string]uint64{} // key to the sequence read last: a record may be delivered twice
	for !toEnd || len(left[topic]) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return err
		}
		for _, record := range fetches.Records() {
			envelope := &envelopev1.Envelope{}
			if err := proto.Unmarshal(record.Value, envelope); err != nil {
				// One bad record must not keep a reader from the good ones behind it.
				log.Printf("%s/%d at %d is no event: %v", topic, record.Partition, record.Offset, err)
			} else if envelope.KeySequence > seen[envelope.Key] {
				seen[envelope.Key] = envelope.KeySequence
				if err := tell(out, envelope); err != nil {
					return err
				}
			}
			if end := left[topic][record.Partition]; record.Offset+1 >= end.Offset {
				delete(left[topic], record.Partition)
			}
		}
	}
	return nil
}

// tell prints the winners of a settled round. Types that this program does not know are no fault: topics grow.
func tell(out *json.Encoder, envelope *envelopev1.Envelope) error {
	if envelope.Type != "pitstream.settlements.v1.RoundSettled" {
		return nil
	}
	round := &settlementsv1.RoundSettled{}
	if err := proto.Unmarshal(envelope.Payload, round); err != nil {
		return fmt.Errorf("event %s: %w", envelope.EventId, err)
	}
	for _, seat := range round.Seats {
		winner := Winner{Table: round.Table, RoundNo: round.RoundNo, Seat: seat.Seat, Player: seat.Player, Currency: round.Currency}
		var net int64
		for _, line := range seat.Lines {
			net += line.Returned + line.Won - line.Stake
			if line.Share != nil {
				winner.Shares = append(winner.Shares, fmt.Sprintf("%d %% of %s", line.Share.Percent, line.Share.Meter))
			}
		}
		for _, award := range seat.Awards {
			net += award.Amount
		}
		if winner.Net = fmt.Sprint(net); net > 0 || winner.Shares != nil {
			if err := out.Encode(winner); err != nil {
				return err
			}
		}
	}
	return nil
}
