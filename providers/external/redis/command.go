package redis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// reading are the commands that read, without those that wait or that keep a server busy.
var reading = strings.Fields(`
	BITCOUNT BITFIELD_RO BITPOS DBSIZE ECHO EXISTS EXPIRETIME GEODIST GEOHASH GEOPOS GEORADIUS_RO GEORADIUSBYMEMBER_RO GEOSEARCH GET GETBIT
	GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET HRANDFIELD HSCAN HSTRLEN HTTL HVALS INFO LCS LASTSAVE LINDEX LLEN LPOS LRANGE MGET
	PEXPIRETIME PING PTTL RANDOMKEY ROLE SCAN SCARD SDIFF SINTER SINTERCARD SISMEMBER SMEMBERS SMISMEMBER SORT_RO SRANDMEMBER SSCAN STRLEN
	SUNION TIME TTL TYPE XLEN XPENDING XRANGE XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER ZINTERCARD ZLEXCOUNT ZMSCORE ZRANDMEMBER ZRANGE
	ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION
	JSON.ARRLEN JSON.GET JSON.MGET JSON.OBJKEYS JSON.OBJLEN JSON.STRLEN JSON.TYPE TS.GET TS.INFO TS.RANGE TS.REVRANGE
	BF.EXISTS BF.MEXISTS CF.EXISTS TOPK.LIST`)

// parts are the commands that read when this is their second word.
var parts = map[string][]string{
	"MEMORY": {"USAGE"}, "OBJECT": {"ENCODING", "FREQ", "IDLETIME", "REFCOUNT"}, "XINFO": {"CONSUMERS", "GROUPS", "STREAM"},
	"CLUSTER": {"INFO", "KEYSLOT", "COUNTKEYSINSLOT"}, "PUBSUB": {"CHANNELS", "NUMPAT", "NUMSUB"},
}

// commandOf is the command of a query with what its args add.
func commandOf(r *external.Request) ([]any, error) {
	words, err := wordsOf(r.Query, r.Args)
	if err != nil {
		return nil, err
	}
	if err := mayRead(words); err != nil {
		return nil, err
	}
	command := make([]any, 0, len(words))
	for _, one := range words {
		command = append(command, one)
	}
	return command, nil
}

// Check tells whether a query is a command that reads.
func (c *Caller) Check(query string, args []string) error {
	words, err := wordsOf(query, args)
	if err != nil {
		return err
	}
	if _, divided := parts[strings.ToUpper(words[0])]; divided && len(words) > 1 && strings.Contains(words[1], "{{") {
		return nil // which a resource says
	}
	return mayRead(words)
}

func wordsOf(query string, args []string) ([]string, error) {
	words, err := split(query)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, &external.RequestError{Problem: "the query is empty: want a command such as GET key"}
	}
	return append(words, args...), nil
}

// mayRead refuses commands that do something else than to read.
func mayRead(words []string) error {
	name := strings.ToUpper(words[0])
	seconds, divided := parts[name]
	switch {
	case divided && len(words) > 1 && slices.Contains(seconds, strings.ToUpper(words[1])):
	case divided:
		return &external.RequestError{Problem: fmt.Sprintf("a call only reads: of %s, it may use %s", name, strings.Join(seconds, ", "))}
	case !slices.Contains(reading, name):
		return &external.RequestError{Problem: fmt.Sprintf(
			"the command %.40q is none of those that a call may use, which only read, such as GET, MGET, HGETALL, LLEN and SCAN", name)}
	}
	return nil
}

// split finds the words of a line. Quotes of both kinds hold spaces together; between double ones, a backslash has the next character
// stand for itself, or n, r and t for what they do in Go.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
			if at := strings.IndexRune("nrt", r); at >= 0 {
				r = []rune("\n\r\t")[at]
			}
			word.WriteRune(r)
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, &external.RequestError{Problem: fmt.Sprintf("the query has a %c without another one that ends what it begins", quote)}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
